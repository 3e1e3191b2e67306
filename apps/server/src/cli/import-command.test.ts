import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type CommandLine, createCommandLine } from "@turnpike/testkit/command-line";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./build-cli.ts";

const DEADLINE_MS = 300_000;
const LINES = 60_000;

/** A minute has a hundred calls, every tenth a 404. */
function writeLine(_: unknown, index: number): string {
  const at = new Date(Date.UTC(2015, 4, 17) + Math.floor(index / 100) * 60_000).toISOString();
  const status = index % 10 === 0 ? 404 : 200;
  return `192.0.2.7 - - [17/May/2015:${at.slice(11, 19)} +0000] "GET /v1/maps/${String(index)}?q=canary HTTP/1.1" ${String(status)} 10 "-" "-"\n`;
}

describe("turnpike import", { timeout: DEADLINE_MS }, () => {
  let home: ProductHome;
  let folder: TempFolder;
  let turnpike: CommandLine;
  beforeAll(async () => {
    home = await makeProductHome();
    folder = await makeTempFolder();
    turnpike = createCommandLine({ env: home.environment, workingFolder: folder.path });
    await home.startServer();
    await turnpike("tenants", "create", "--name", "Importer");
  }, DEADLINE_MS);
  afterAll(async () => {
    await folder[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  }, DEADLINE_MS);

  it("killed in the middle and called again counts every line once, with a server running", async () => {
    const path = join(folder.path, "access.log");
    const log = Array.from({ length: LINES }, writeLine).join("");
    await writeFile(path, log);
    const args = ["import", "--tenant", "importer", path];
    const first = home.run("apps/server/src/cli/main.ts", ...args);
    await pollUntil("it is on its way", () => /import +[1-9]0 %/.test(first.output()), DEADLINE_MS);
    first.kill("SIGKILL");
    expect((await first.ended).stdout).toBe("");

    const { stdout, stderr } = await turnpike(...args, "--json");
    // Nothing but what a failure would say is on standard error then.
    expect(stderr).toBe("");
    const again = JSON.parse(stdout);
    expect(again.known).toBeGreaterThan(0);
    expect(again.imported).toBeGreaterThan(0);
    expect(again).toMatchObject({ lines: LINES, known: LINES - again.imported, bad: 0 });
    const zipped = join(folder.path, "renamed");
    await writeFile(zipped, gzipSync(log));
    const third = await turnpike("import", "--tenant", "importer", zipped, "--json");
    expect(JSON.parse(third.stdout)).toMatchObject({ known: LINES, imported: 0 });

    const range = ["--from", "2015-05-17", "--to", "2015-05-18"];
    const usage = await turnpike(
      "usage",
      "--tenant",
      "importer",
      "--by",
      "status",
      ...range,
      "--json",
    );
    expect(JSON.parse(usage.stdout).rows).toEqual([
      { group: "200", calls: LINES * 0.9, quantity: "0" },
      { group: "404", calls: LINES * 0.1, quantity: "0" },
    ]);
    const reconciled = await turnpike("reconcile", "--json");
    expect(JSON.parse(reconciled.stdout)).toMatchObject({ drift: 0, balances: 0, calls: LINES });
  });

  it("says on a dry run what it would do, and with --strict ends with 1 for what it leaves out", async () => {
    const path = join(folder.path, "mixed.log");
    await writeFile(path, `${writeLine(0, 1)}garbage\n${writeLine(0, 2)}`);
    const rehearsed = await turnpike("import", "--tenant", "importer", "--dry-run", path);
    expect(rehearsed.code).toBe(0);
    expect(rehearsed.stdout).toMatch(/To import +2\n[\s\S]*Bad +1\n[\s\S]*2015-05-17 +2\n/);
    expect(rehearsed.stdout).toMatch(/2 {2}\S*mixed\.log {2}not a line of/);
    expect(rehearsed.stdout).toContain("nothing was written");
    const strict = await turnpike("import", "--tenant", "importer", "--strict", path);
    expect(strict.code).toBe(1);
    expect(strict.stdout).toMatch(/Imported +2\n/);
    expect(strict.stdout).toMatch(/See it at http\S+\/analytics\?tenant=importer&from=2015-05-17/);
  });
});

describe("the command line of turnpike import", () => {
  const parse = async (...args: string[]) => {
    const cli = buildCli({
      readConfig: () => {
        throw new Error("It got as far as the configuration");
      },
      workingFolder: import.meta.dirname,
      output: process.stdout,
      errors: process.stderr,
      isTerminal: false,
      setExitCode: () => undefined,
    });
    await cli.program.parseAsync(["node", "turnpike", "import", ...args]);
  };

  it.each([
    [[], "missing required argument"],
    [["a.log"], "either --tenant or --map"],
    [["--tenant", "a", "--map", "b", "a.log"], "either --tenant or --map"],
    [["--tenant", "a", "--key", "key_1", "a.log"], "is not the id of a key"],
    [["--tenant", "a", "--format", "iis", "a.log"], "is not one of auto"],
    [["--tenant", "a", "--field", "when=x", "a.log"], "does not name a field"],
    [["--tenant", "a", "-", "-"], "read once"],
    [["--tenant", "a", "no-such.log"], "There is no file"],
    [["--tenant", "a", "."], "is a folder"],
    [["--tenant", "a", import.meta.filename], "as far as the configuration"],
  ])("%j is answered before anything is opened", async (args, message) => {
    await expect(parse(...args)).rejects.toThrow(message);
  });
});
