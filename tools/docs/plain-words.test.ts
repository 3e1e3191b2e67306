import { expect, it } from "vitest";
import { plantTree } from "../planted-tree.ts";
import { findUnplainWords } from "./plain-words.ts";

async function problemsIn(line: string): Promise<string[]> {
  const tree = await plantTree({ "apps/server/src/a.ts": `const a = 1;\n${line}\n` });
  try {
    return findUnplainWords(tree.root);
  } finally {
    await tree.remove();
  }
}

it.each([
  ["// Whoever waits gets an answer.", "Whoever"],
  ["// Whatever the reason, the stream ends.", "Whatever"],
  ["// A connection is closed, whichever side was first.", "whichever"],
  ["/** Who waits for commits keeps the next ones from looking. */", "begins with"],
  ['it("is told to nobody", () => {});', "nobody"],
  ["// The key is told to the operator.", "is told"],
  ['const title = "What became of every call";', "became of"],
  ["// Eight rows at the most.", "at the most"],
  ["// A process that stands still.", "stands still"],
])("asks for other words: %s", async (line, found) => {
  const problems = await problemsIn(line);
  expect(problems.join("\n")).toContain(found);
  expect(problems[0]).toMatch(/^apps\/server\/src\/a\.ts:2 has /);
});

it.each([
  "// Who may read this? Members only.",
  'const label = "Who can see this?";',
  "// Anyone who holds the key may call; no one else may.",
  "// A fake stands in for the receiver, and `*` stands for any host.",
  "// PostgreSQL runs as the system user `nobody`.",
])("accepts plain words: %s", async (line) => {
  expect(await problemsIn(line)).toEqual([]);
});
