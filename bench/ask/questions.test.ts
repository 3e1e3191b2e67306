import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { QuestionReading } from "@turnpike/domain/questions/question-reading";
import { indexVocabulary } from "@turnpike/domain/questions/question-vocabulary";
import { readQuestion } from "@turnpike/domain/questions/read-question";
import { beforeAll, expect, it } from "vitest";
import { wordsOf } from "../../apps/server/src/modules/intelligence/ask/answer-words.ts";
import { type LabelledQuestion, parseQuestions } from "./parse-questions.ts";
import { QUESTION_SETS } from "./question-sets.ts";
import { scoreReading } from "./score-reading.ts";

const NOW_MS = Date.parse("2026-07-15T12:00:00Z");
const read = async (name: string) => await readFile(join(import.meta.dirname, name), "utf8");

let readings: { set: string; asked: LabelledQuestion; reading: QuestionReading }[];
let names: Set<string>;

beforeAll(async () => {
  const vocabulary = JSON.parse(await read("vocabulary.json"));
  const operator = indexVocabulary(vocabulary);
  const tenant = indexVocabulary({ ...vocabulary, actor: "tenant" });
  names = new Set([...operator.names.values()].flat().map(({ value }) => value));
  readings = [];
  for (const { set } of QUESTION_SETS) {
    for (const asked of parseQuestions(await read(`${set}.txt`))) {
      const { group, question, after } = asked;
      const index = group === "tenant" ? tenant : operator;
      readings.push({
        set,
        asked,
        reading: readQuestion(index, { question, after, nowMs: NOW_MS }),
      });
    }
  }
});

it("reads every question of every set as a person does", () => {
  const failed = readings
    .filter(({ asked, reading }) => scoreReading(asked.expected, reading) !== "exact")
    .map(({ set, asked, reading }) => `${set}: ${asked.question} → ${JSON.stringify(reading)}`);
  expect(failed).toEqual([]);
});

it("says in German what it assumed of each, and what it asks back, but for names", () => {
  const { recognise } = wordsOf("de");
  const texts = new Set(
    readings.flatMap(({ reading: { kind, assumed, choices = [] } }) => [
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
