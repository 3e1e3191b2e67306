import { globSync } from "node:fs";
import { resolve } from "node:path";
import { cruise } from "./cruise.ts";

/** Folders that the one-way rule reads. */
const CRUISED = ["apps", "packages", "examples", "e2e", "bench", "tools"];
const SOURCES = "{apps,packages}/*/src/**/*.{ts,tsx}";

/**
 * Holds every import of a checkout against its `.dependency-cruiser.cjs`.
 *
 * @param root - The checkout.
 * @returns One sentence for each import that is forbidden, and for each source file that was not read: a cruiser that does not
 *   understand the compiler reads nothing and finds nothing wrong. Empty when the rule holds.
 */
export async function findArchitectureProblems(
  root: string,
  folders: readonly string[] = CRUISED,
): Promise<string[]> {
  const { modules, violations } = await cruise({ root, folders });
  const read = new Set(modules.map(({ source }) => source));
  const sources = globSync(SOURCES, { cwd: root }).filter((path) => !path.endsWith(".d.ts"));
  return [
    ...violations.map(({ rule, from, to }) => `${from} must not import ${to}: ${rule}`),
    ...sources.filter((path) => !read.has(path)).map((path) => `${path} was not read`),
    ...(sources.length === 0 ? ["There is no source to read."] : []),
  ];
}

if (import.meta.main) {
  const problems = await findArchitectureProblems(resolve(import.meta.dirname, ".."));
  for (const problem of problems) {
    console.error(problem);
  }
  console.log(problems.length === 0 ? "architecture: in order" : `${problems.length} to fix`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
