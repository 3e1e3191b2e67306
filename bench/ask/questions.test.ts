import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { indexVocabulary } from "@turnpike/domain/questions/question-vocabulary";
import { readQuestion } from "@turnpike/domain/questions/read-question";
import { expect, it } from "vitest";
import { parseQuestions } from "./parse-questions.ts";
import { QUESTION_SETS } from "./question-sets.ts";
import { scoreReading } from "./score-reading.ts";

const NOW_MS = Date.parse("2026-07-15T12:00:00Z");
const read = async (name: string) => await readFile(join(import.meta.dirname, name), "utf8");

it("reads every question of every set as a person does", async () => {
  const vocabulary = JSON.parse(await read("vocabulary.json"));
  const operator = indexVocabulary(vocabulary);
  const tenant = indexVocabulary({ ...vocabulary, actor: "tenant" });
  const failed: string[] = [];
  for (const { set } of QUESTION_SETS) {
    for (const { group, question, after, expected } of parseQuestions(await read(`${set}.txt`))) {
      const index = group === "tenant" ? tenant : operator;
      const reading = readQuestion(index, { question, after, nowMs: NOW_MS });
      if (scoreReading(expected, reading) !== "exact") {
        failed.push(`${set}: ${question} → ${JSON.stringify(reading)}`);
      }
    }
  }
  expect(failed).toEqual([]);
});
