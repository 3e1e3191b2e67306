import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const CODES_FILE = "packages/domain/src/errors/error-codes.ts";
const HEADINGS = ["## What happened", "## What to do"];

/**
 * Lists what is wrong with `docs/errors`: a code without a page, a page without its headings or its code, and a page
 * that no code leads to. An index page (`README.md`) is welcome.
 *
 * @returns One sentence for each mistake; empty when codes and pages match.
 */
export async function findErrorPageProblems(root: string): Promise<string[]> {
  const codes = await readCodes(root);
  const pages = new Map(codes.map((code) => [toPage(code), code]));
  const orphans = globSync("docs/errors/*.md", { cwd: root }).filter(
    (page) => !(pages.has(page) || page.endsWith("/README.md")),
  );
  return [
    ...[...pages].flatMap(([page, code]) => findPageProblems({ root, page, code })),
    ...orphans.map((page) => `${page} belongs to no code of ${CODES_FILE}`),
  ];
}

async function readCodes(root: string): Promise<string[]> {
  const module: { ERROR_CODES: Record<string, unknown> } = await import(
    pathToFileURL(join(root, CODES_FILE)).href
  );
  return Object.keys(module.ERROR_CODES);
}

function toPage(code: string): string {
  return `docs/errors/${code.toLowerCase().replaceAll("_", "-")}.md`;
}

function findPageProblems({ root, page, code }: { root: string; page: string; code: string }) {
  if (!existsSync(join(root, page))) {
    return [`${page} is missing: every error code has a page`];
  }
  const text = readFileSync(join(root, page), "utf8");
  const lines = new Set(text.split("\n").map((line) => line.trimEnd()));
  const problems = HEADINGS.filter((heading) => !lines.has(heading)).map(
    (heading) => `${page} lacks the heading "${heading}"`,
  );
  return text.includes(code) ? problems : [...problems, `${page} does not name its code ${code}`];
}
