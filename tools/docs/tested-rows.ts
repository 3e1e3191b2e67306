import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Pages whose rows are claims, each with the tests that show it. */
const PAGES = ["docs/specification.md", "docs/security.md"];
/** A row of a table, except its head and the line below the head. */
const ROW = /^\|(?! *(?:Point|Threat|-+) *\|).*\|$/gm;
/** `path/of.test.ts` · name of the test */
const CITATION = /`(?<file>[^`]+[.](?:test|spec)[.]tsx?)` · (?<name>.+?)(?=<br>| *\|$)/g;
/** Why no test shows the row, as its last cell. */
const REASON = /\| *No test: [^|]{20,}\|$/;

/**
 * Lists rows of `docs/specification.md` and `docs/security.md` that no test shows: a row that names neither a test nor the
 * reason why there is none, a file that does not exist, and a test that its file does not have under this name.
 *
 * @returns One sentence for each mistake; empty when every row has its test or its reason, or when there is no such page.
 */
export function findUntestedRows(root: string): string[] {
  return PAGES.filter((page) => existsSync(join(root, page))).flatMap((page) => {
    const rows = readFileSync(join(root, page), "utf8").match(ROW) ?? [];
    return rows.flatMap((row) => findInRow(root, page, row));
  });
}

function findInRow(root: string, page: string, row: string): string[] {
  const citations = [...row.matchAll(CITATION)];
  if (citations.length === 0) {
    const claim = row.split("|")[1]?.trim() ?? "";
    return REASON.test(row) ? [] : [`${page} names no test for "${claim}"`];
  }
  return citations.flatMap(({ groups }) =>
    findCitationProblem(root, page, { file: groups?.["file"] ?? "", name: groups?.["name"] ?? "" }),
  );
}

function findCitationProblem(
  root: string,
  page: string,
  { file, name }: { file: string; name: string },
): string[] {
  if (!existsSync(join(root, file))) {
    return [`${page} cites ${file}, which does not exist`];
  }
  const hasTest = readFileSync(join(root, file), "utf8").includes(`"${name}"`);
  return hasTest ? [] : [`${page} cites the test "${name}", which ${file} does not have`];
}
