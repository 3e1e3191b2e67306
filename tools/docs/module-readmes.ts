import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const LINES_MAX = 60;

/**
 * Lists the server modules without a `README.md` (owns, does not own, terms) and those whose page is longer than 60
 * lines, which is as much as one reads before opening a file.
 */
export function findModuleReadmeProblems(root: string): string[] {
  const modules = globSync("apps/server/src/modules/*/index.ts", { cwd: root }).map(dirname);
  return modules.flatMap((module) => {
    const page = join(module, "README.md");
    if (!existsSync(join(root, page))) {
      return [`${page} is missing: every module says what it owns and does not own`];
    }
    const lines = readFileSync(join(root, page), "utf8").trimEnd().split("\n").length;
    return lines > LINES_MAX ? [`${page} has ${lines} lines, more than ${LINES_MAX}`] : [];
  });
}
