import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandLine } from "@turnpike/testkit/command-line";
import { startProgram } from "@turnpike/testkit/program";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let folder: TempFolder;
beforeAll(async () => {
  folder = await makeTempFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Without a data folder or a database: a rehearsal needs neither. */
function rehearse(...args: string[]) {
  const turnpike = createCommandLine({ env: {}, workingFolder: folder.path });
  return turnpike("billing", "rehearse", ...args);
}

function rehearseInProgram(...args: string[]) {
  const run = ["billing", "rehearse", ...args];
  const script = "apps/server/src/cli/main.ts";
  return startProgram({ script, args: run, cwd: folder.path, env: {} }).ended;
}

const story = (id: string, amount: string) => ({
  id,
  currency: "EUR",
  catalog: {
    plans: [
      {
        planId: "pro",
        phases: [
          {
            rateCards: [
              {
                key: "base",
                price: { model: "flat", amount },
                interval: { month: 1 },
                timing: "advance",
              },
            ],
          },
        ],
      },
    ],
  },
  story: [
    { at: "2026-01-31", do: "subscribe", plan: "pro" },
    { at: "2026-02-01", do: "resume" },
  ],
  until: "2026-02-28",
});

async function writeStories(name: string, lines: readonly string[]): Promise<string> {
  await writeFile(join(folder.path, name), `${lines.join("\n")}\n`);
  return name;
}

describe("turnpike billing rehearse", () => {
  it("prints one result a line, refusals included, and ends with 0", async () => {
    const name = await writeStories("stories.jsonl", [
      JSON.stringify(story("good", "1234.50")),
      "",
      JSON.stringify(story("refused", "-1")),
    ]);
    const { code, stdout, stderr } = await rehearseInProgram("--stories", name, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [good, refused] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(good).toMatchObject({
      id: "good",
      invoices: [{ total: "1234.50" }, { issuedAt: "2026-02-28T00:00:00Z", total: "1234.50" }],
      refused: [{ step: 1, code: "not_paused" }],
    });
    expect(refused).toEqual({
      id: "refused",
      refused: [
        {
          step: "catalog",
          code: "bad_value",
          says: expect.stringContaining("/catalog/plans/0/phases/0/rateCards/0/price/amount"),
        },
      ],
    });
  });

  it("prints invoices that people can read", async () => {
    const name = await writeStories("text.jsonl", [JSON.stringify(story("good", "1234.50"))]);
    const { code, stdout } = await rehearse("--stories", name);
    expect(code).toBe(0);
    expect(stdout).toContain("# good");
    expect(stdout).toContain("INV-2026-000002  open  issued 2026-02-28 00:00");
    expect(stdout).toContain("base base  2026-02-28 00:00 to 2026-03-31 00:00         1  1,234.50");
    expect(stdout).toContain("step 1 refused (not_paused)");
  });

  it("plays the other stories when a line is not JSON, names the line and ends with 1", async () => {
    const name = await writeStories("bad.jsonl", [
      JSON.stringify(story("before", "1")),
      "{ not json",
      JSON.stringify(story("after", "1")),
    ]);
    const { code, stdout, stderr } = await rehearse("--stories", name, "--json");
    const ids = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect({ code, ids }).toEqual({ code: 1, ids: ["before", "after"] });
    expect(JSON.parse(stderr)).toMatchObject({
      code: "FILE_INVALID",
      errors: [{ pointer: "line 2", message: expect.any(String) }],
    });
  });

  it("says which file is missing", async () => {
    const { code, stderr } = await rehearse("--stories", "missing.jsonl");
    expect(code).toBe(1);
    expect(stderr).toContain(`There is no file ${join(folder.path, "missing.jsonl")}`);
  });
});
