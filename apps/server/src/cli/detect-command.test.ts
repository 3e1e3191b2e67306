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

async function detect(lines: readonly string[]) {
  await writeFile(join(folder.path, "calls.txt"), `\ufeff${lines.join("\n")}\n`);
  const turnpike = createCommandLine({ env: {}, workingFolder: folder.path });
  return turnpike("detect", "--jsonl", "calls.txt");
}

const HOURS = 400;
const SPIKE_AT = 350;
const times = Array.from({ length: HOURS }, (_, hour) =>
  new Date(Date.UTC(2026, 0, 1, hour)).toISOString(),
);
const values = times.map((_, hour) =>
  hour === SPIKE_AT ? 9000 : 100 + ((hour * 7) % 24) + ((hour * 13) % 5),
);

describe("turnpike detect", () => {
  it("judges each line, reports the bad ones by their number, and ends with 1", async () => {
    const { code, stdout, stderr } = await detect([
      JSON.stringify({ id: "calls", times, values }),
      "no JSON",
      "",
      JSON.stringify({ id: "uneven", times: ["2026-01-01"], values: [] }),
      JSON.stringify({ id: "timeless", times: ["soon"], values: [1] }),
      JSON.stringify({ id: "null", times: ["2026-01-01"], values: [null] }),
      JSON.stringify({ id: 7, times: ["2026-01-01 00:00:00"], values: [-1.5] }),
    ]);
    expect(code).toBe(1);
    for (const line of [2, 4, 5, 6]) {
      expect(stderr).toContain(`line ${String(line)} `);
    }
    const [calls, single, ...more] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(more).toEqual([]);
    expect(single).toEqual({ id: 7, scores: [0], why: ["warming-up"] });
    expect(calls).toMatchObject({ id: "calls" });
    expect(calls.scores).toHaveLength(HOURS);
    expect(calls.why[SPIKE_AT]).toBe("residual");
    expect(calls.scores.flatMap((score: number, at: number) => (score > 0.5 ? [at] : []))).toEqual([
      SPIKE_AT,
    ]);
  });

  it("reads a CSV of time and value as one series, with the same scores", async () => {
    const rows = times.map(
      (time, hour) => `${time.slice(0, 19).replace("T", " ")},${String(values[hour])}`,
    );
    const table = await detect(["timestamp,value", ...rows]);
    expect(table).toMatchObject({ code: 0, stderr: "" });
    const line = await detect([JSON.stringify({ id: "calls", times, values })]);
    expect(JSON.parse(table.stdout)).toEqual(JSON.parse(line.stdout));
    const bad = await detect(["timestamp,value", "2026-01-01,1", "2026-01-01,x", "2026-01-02,3"]);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain("line 3 ");
    expect(JSON.parse(bad.stdout).scores).toEqual([0, 0]);
  });
});
