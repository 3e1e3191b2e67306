import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandLine } from "@turnpike/testkit/command-line";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let folder: TempFolder;
beforeAll(async () => {
  folder = await makeTempFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

async function forecast(lines: readonly string[]) {
  await writeFile(join(folder.path, "series.jsonl"), `${lines.join("\n")}\n`);
  const turnpike = createCommandLine({ env: {}, workingFolder: folder.path });
  return turnpike("forecast", "--jsonl", "series.jsonl");
}

const weeks = Array.from({ length: 70 }, (_, day) => (day % 7 < 5 ? 100 : 20));

describe("turnpike forecast", () => {
  it("answers each line, names the bad ones by their number, and ends with 1", async () => {
    const { code, stdout, stderr } = await forecast([
      JSON.stringify({ id: "weeks", values: weeks, horizon: 7, seasons: [7] }),
      "no JSON",
      JSON.stringify({ id: "none", values: weeks, horizon: 0, seasons: [7] }),
      JSON.stringify({ id: "text", values: ["many"], horizon: 1 }),
      JSON.stringify({ id: 4, values: [1, null, 2], horizon: 1, seasons: [] }),
    ]);
    expect(code).toBe(1);
    for (const line of [2, 3, 4]) {
      expect(stderr).toContain(`line ${String(line)} `);
    }
    const [regular, short, ...more] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(more).toEqual([]);
    expect(short).toEqual({ id: 4, error: "not enough history", values: 2, needed: 8 });
    expect(Object.keys(regular)).toEqual([
      "id",
      "mean",
      "lower80",
      "upper80",
      "lower95",
      "upper95",
    ]);
    expect(regular.mean.map(Math.round)).toEqual(weeks.slice(0, 7));
  });
});
