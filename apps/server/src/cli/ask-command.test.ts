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

const NOW = "2026-07-15T12:00:00Z";
const VOCABULARY = {
  actor: "operator",
  timeZone: "Europe/Berlin",
  billingPeriod: { from: "2026-07-01", to: "2026-08-01" },
  tenants: ["Acme Corp", "Acme Labs", "Globex"],
  routes: ["/v1/search"],
};

async function ask(lines: readonly string[], vocabulary: object = VOCABULARY) {
  await writeFile(join(folder.path, "questions.jsonl"), `${lines.join("\n")}\n`);
  await writeFile(join(folder.path, "vocabulary.json"), JSON.stringify(vocabulary));
  const turnpike = createCommandLine({ env: {}, workingFolder: folder.path });
  return turnpike("ask", "--jsonl", "questions.jsonl", "--vocabulary", "vocabulary.json");
}

describe("turnpike ask", () => {
  it("answers each line, names the bad ones by their number, and ends with 1", async () => {
    const { code, stdout, stderr } = await ask([
      JSON.stringify({ id: "a", question: "requests to search since 9am today", now: NOW }),
      JSON.stringify({ id: "b", question: "and errors?", now: NOW, after: "Globex calls in June" }),
      JSON.stringify({ id: 3, question: "how is Acme doing", now: NOW }),
      JSON.stringify({ id: 4, question: "no time" }),
      JSON.stringify({ id: 5, question: "who will win the world cup", now: NOW }),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("line 4 ");
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id, kind }) => [id, kind])).toEqual([
      ["a", "query"],
      ["b", "query"],
      [3, "clarify"],
      [5, "refuse"],
    ]);
    expect(answers[0].query).toEqual({
      measures: ["requests"],
      dimensions: [],
      filters: [{ field: "route", op: "eq", value: "/v1/search" }],
      from: "2026-07-15T07:00:00Z",
      to: NOW,
    });
    expect(answers[1].query).toMatchObject({ measures: ["errors"], from: "2026-06-01" });
    expect(answers[2].choices).toEqual(["Acme Corp", "Acme Labs"]);
  });

  it("says what is wrong with a vocabulary", async () => {
    const { code, stderr } = await ask([], { ...VOCABULARY, timeZone: "Mars/Base" });
    expect(code).toBe(1);
    expect(stderr).toContain("/timeZone");
  });
});
