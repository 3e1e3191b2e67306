import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import type { Bench, BenchResult } from "./bench.ts";
import { toMarkdownTable } from "./text-table.ts";

const PAGE = join(import.meta.dirname, "../../docs/benchmarks.md");
const GIB = 1024 ** 3;

function describeMachine(): string {
  const cores = cpus();
  const memory = Math.round(totalmem() / GIB);
  return `${String(cores.length)} cores of ${cores[0]?.model ?? "an unknown model"}, ${String(memory)} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
}

function toSection(result: BenchResult): string {
  const ratios = Object.entries(result.ratios).map(([name, value]) => ({ ratio: name, value }));
  return [
    `Measured ${new Date().toISOString().slice(0, 10)} on ${describeMachine()}.`,
    toMarkdownTable(result.table),
    toMarkdownTable(ratios),
    result.remarks.map((remark) => `- ${remark}`).join("\n"),
  ].join("\n\n");
}

function rangeOf(page: string, bench: Bench): { start: number; end: number } {
  const open = `<!-- generated:bench-${bench.name} -->`;
  const close = `<!-- /generated:bench-${bench.name} -->`;
  const start = page.indexOf(open);
  const end = page.indexOf(close);
  if (start < 0 || end < start) {
    throw new Error(`docs/benchmarks.md has no section for ${bench.name}: ${open} … ${close}`);
  }
  return { start: start + open.length, end };
}

/** @throws when docs/benchmarks.md has no section for one of them. */
export async function assertDocumented(benches: readonly Bench[]): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  for (const bench of benches) {
    rangeOf(page, bench);
  }
}

/**
 * Puts a result between the marks `<!-- generated:bench-NAME -->` of docs/benchmarks.md; the rest stays as it is.
 *
 * @throws when the page has no place for the bench.
 */
export async function writeBenchmarkDocs(bench: Bench, result: BenchResult): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  const { start, end } = rangeOf(page, bench);
  await writeFile(PAGE, `${page.slice(0, start)}\n\n${toSection(result)}\n\n${page.slice(end)}`);
}
