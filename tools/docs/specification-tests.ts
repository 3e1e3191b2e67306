import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = "docs/specification.md";
/** A row of a table, but for its head and the line below the head. */
const ROW = /^\|(?! *(?:Point|-+) *\|).*\|$/gm;
/** `path/of.test.ts` · name of the test */
const CITATION = /`(?<file>[^`]+[.](?:test|spec)[.]tsx?)` · (?<name>.+?)(?=<br>| *\|$)/g;

/**
 * Lists what `docs/specification.md` claims without a test: a point that names none, a file that is not there, and a test
 * that its file does not have under this name.
 *
 * @returns One sentence for each mistake; empty when every point has its test, or when there is no such page.
 */
export function findSpecificationProblems(root: string): string[] {
  const path = join(root, PAGE);
  if (!existsSync(path)) {
    return [];
  }
  const rows = readFileSync(path, "utf8").match(ROW) ?? [];
  return rows.flatMap((row) => {
    const citations = [...row.matchAll(CITATION)];
    const point = row.split("|")[1]?.trim() ?? "";
    return citations.length === 0
      ? [`${PAGE} names no test for "${point}"`]
      : citations.flatMap(({ groups }) =>
          findCitationProblem(root, groups?.["file"] ?? "", groups?.["name"] ?? ""),
        );
  });
}

function findCitationProblem(root: string, file: string, name: string): string[] {
  if (!existsSync(join(root, file))) {
    return [`${PAGE} cites ${file}, which does not exist`];
  }
  const hasTest = readFileSync(join(root, file), "utf8").includes(`"${name}"`);
  return hasTest ? [] : [`${PAGE} cites the test "${name}", which ${file} does not have`];
}
