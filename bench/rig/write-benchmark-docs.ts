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

/**
 * Puts results between the marks `<!-- generated:bench-NAME -->` of docs/benchmarks.md; the rest stays as it is.
 *
 * @throws when the page has no place for a bench.
 */
export async function writeBenchmarkDocs(
  results: readonly { bench: Bench; result: BenchResult }[],
): Promise<void> {
  let page = await readFile(PAGE, "utf8");
  for (const { bench, result } of results) {
    const open = `<!-- generated:bench-${bench.name} -->`;
    const close = `<!-- /generated:bench-${bench.name} -->`;
    const start = page.indexOf(open);
    const end = page.indexOf(close);
    if (start < 0 || end < start) {
      throw new Error(`docs/benchmarks.md has no place for ${bench.name}: ${open} … ${close}`);
    }
    page = `${page.slice(0, start + open.length)}\n\n${toSection(result)}\n\n${page.slice(end)}`;
  }
  await writeFile(PAGE, page);
}
