import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "../apps/server/src/cli/build-cli.ts";

const CONSOLE = resolve(import.meta.dirname, "../apps/console/src");
const MENTION = "npm run turnpike";
/** A command as the console shows it: a whole string literal. */
const SHOWN = /(?<quote>["'`])npm run turnpike -- (?<line>.+?)\k<quote>/g;

/** Asked for once the command line is understood and before anything is done. */
class Understood extends Error {}

async function readSources(): Promise<string[]> {
  const names = await readdir(CONSOLE, { recursive: true });
  return names
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => readFileSync(join(CONSOLE, name), "utf8"));
}

/** The words of a line without expansions, as a shell splits it. */
function toWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** Where the files are that the console speaks of. */
let folder: TempFolder;
beforeAll(async () => {
  folder = await makeTempFolder();
  await writeFile(join(folder.path, "catalog.yaml"), JSON.stringify(SAMPLE_CATALOG));
});
afterAll(async () => folder[Symbol.asyncDispose]());

async function parse(line: string): Promise<void> {
  const { program } = buildCli({
    readConfig: () => {
      throw new Understood();
    },
    workingFolder: folder.path,
    output: process.stdout,
    errors: process.stderr,
    isTerminal: false,
    setExitCode: () => undefined,
  });
  await program.parseAsync(toWords(line), { from: "user" });
}

const sources = await readSources();
const lines = sources.flatMap((source) =>
  [...source.matchAll(SHOWN)].map((match) => match.groups?.["line"] ?? ""),
);

describe("the command lines that the console shows", () => {
  it("are all found", () => {
    const mentions = sources.reduce((sum, source) => sum + source.split(MENTION).length - 1, 0);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines).toHaveLength(mentions);
  });

  it.each(lines)("%s is understood by the program", async (line) => {
    await expect(parse(line)).rejects.toThrow(Understood);
  });

  it("would not be understood with an option that there is none of", async () => {
    await expect(parse("tenants list --scopes keys:verify")).rejects.toThrow(
      "unknown option '--scopes'",
    );
  });
});
