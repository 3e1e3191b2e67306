import { expect, it } from "vitest";
import { readQuestions } from "../../../../../../bench/ask/read-questions.ts";
import { wordsOf } from "./answer-words.ts";

it("says in German what it assumes of each question of the benchmark, and what it asks back, but for names", async () => {
  const { questions, names } = await readQuestions();
  const { recognise } = wordsOf("de");
  const texts = new Set(
    questions.flatMap(({ reading: { kind, assumed, choices = [] } }) => [
      ...assumed,
      ...(kind === "clarify" ? choices : []),
    ]),
  );
  expect(texts.size).toBeGreaterThan(70);
  // A word that was typed, and the name that it was taken for.
  const isName = (text: string) => names.has(text) || names.has(text.replace(/^\S+: /, ""));
  const same = [...texts].filter((text) => recognise(text) === text && !isName(text));
  expect(same).toEqual([]);
});
