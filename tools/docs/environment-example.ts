import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const CONFIG_FILE = "apps/server/src/config.ts";
const EXAMPLE_FILE = ".env.example";
/** An optional variable may stand commented out. */
const ASSIGNMENT = /^(?:# ?)?(?<name>[A-Z][A-Z0-9_]*)=/gm;

/**
 * Lists the differences between the variables of `.env.example` and `ENVIRONMENT`, the ones `config.ts` reads.
 *
 * @returns One sentence for each variable that only one of the two names; empty when they agree.
 */
export async function findEnvironmentExampleProblems(root: string): Promise<string[]> {
  if (!existsSync(join(root, EXAMPLE_FILE))) {
    return [`${EXAMPLE_FILE} is missing: it lists the variables of ${CONFIG_FILE}`];
  }
  const config: { ENVIRONMENT: Record<string, string> } = await import(
    pathToFileURL(join(root, CONFIG_FILE)).href
  );
  const read = new Set(Object.keys(config.ENVIRONMENT));
  const text = readFileSync(join(root, EXAMPLE_FILE), "utf8");
  const listed = new Set(
    [...text.matchAll(ASSIGNMENT)].map((match) => match.groups?.["name"] ?? ""),
  );
  return [
    ...[...read].filter((name) => !listed.has(name)).map((name) => `${EXAMPLE_FILE} lacks ${name}`),
    ...[...listed]
      .filter((name) => !read.has(name))
      .map((name) => `${EXAMPLE_FILE} names ${name}, which ${CONFIG_FILE} does not read`),
  ];
}
