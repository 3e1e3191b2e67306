import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { spawnScript } from "@turnpike/testkit/spawn-script";
import { beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
/** What may stand between a test's subject and `.test.ts` besides the soak suffixes. */
const OTHER_SUFFIXES = [".sql.", ".routes.", ".queries.", ".view-model.", ".view-models."];

let soakSuffixes: string[];
let files: string[];

beforeAll(async () => {
  const script = spawnScript(
    `const { SOAK_SUFFIXES } = await import(${JSON.stringify(join(ROOT, "tools/run/test.mjs"))});
     console.log(JSON.stringify(SOAK_SUFFIXES));`,
  );
  soakSuffixes = JSON.parse(await script.nextLine());
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx"];
  files = execFileSync("git", listed, { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
});

const isTest = (file: string) => /\.test\.tsx?$/.test(file);
const runsInSoak = (file: string) => soakSuffixes.some((suffix) => file.includes(suffix));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

describe("npm run soak", () => {
  it("runs every test that has a longer version", () => {
    const asking = files.filter((file) => /from "[^"]*testkit\/soak"/.test(read(file)));
    expect(asking.length).toBeGreaterThan(5);
    expect(asking.filter((file) => !(isTest(file) && runsInSoak(file)))).toEqual([]);
  });

  it("is the only source of the setting that makes tests long", () => {
    const setting = /TURNPIKE_(?:SOAK|FUZZ)/;
    const readers = files.filter(
      (file) => file !== "tools/soak.test.ts" && setting.test(read(file)),
    );
    expect(readers).toEqual(["packages/testkit/src/soak.ts"]);
  });

  it("knows every suffix that a test file carries", () => {
    const suffixes = files
      .filter(isTest)
      .flatMap((file) => basename(file).match(/\.[a-z-]+\.(?=(?:sql\.)?test\.)/g) ?? []);
    const known = new Set([...soakSuffixes, ...OTHER_SUFFIXES]);
    expect([...new Set(suffixes)].filter((suffix) => !known.has(suffix))).toEqual([]);
  });
});
