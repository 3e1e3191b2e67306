import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { QuestionReading } from "@turnpike/domain/questions/question-reading";
import { indexVocabulary } from "@turnpike/domain/questions/question-vocabulary";
import { readQuestion } from "@turnpike/domain/questions/read-question";
import { type LabelledQuestion, parseQuestions } from "./parse-questions.ts";
import { QUESTION_SETS } from "./question-sets.ts";

const NOW_MS = Date.parse("2026-07-15T12:00:00Z");

export type AskedQuestion = { set: string; asked: LabelledQuestion; reading: QuestionReading };

const read = async (name: string) => await readFile(join(import.meta.dirname, name), "utf8");

/**
 * How the product reads every question of every set.
 *
 * @returns The readings, and the names that the questions are asked about.
 */
export async function readQuestions(): Promise<{
  questions: readonly AskedQuestion[];
  names: ReadonlySet<string>;
}> {
  const vocabulary = JSON.parse(await read("vocabulary.json"));
  const operator = indexVocabulary(vocabulary);
  const tenant = indexVocabulary({ ...vocabulary, actor: "tenant" });
  const questions: AskedQuestion[] = [];
  for (const { set } of QUESTION_SETS) {
    for (const asked of parseQuestions(await read(`${set}.txt`))) {
      const { group, question, after } = asked;
      const index = group === "tenant" ? tenant : operator;
      const reading = readQuestion(index, { question, after, nowMs: NOW_MS });
      questions.push({ set, asked, reading });
    }
  }
  return {
    questions,
    names: new Set([...operator.names.values()].flat().map(({ value }) => value)),
  };
}
