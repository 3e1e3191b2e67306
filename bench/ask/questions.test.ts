import { expect, it } from "vitest";
import { readQuestions } from "./read-questions.ts";
import { scoreReading } from "./score-reading.ts";

it("reads every question of every set as a person does", async () => {
  const { questions } = await readQuestions();
  const failed = questions
    .filter(({ asked, reading }) => scoreReading(asked.expected, reading) !== "exact")
    .map(({ set, asked, reading }) => `${set}: ${asked.question} → ${JSON.stringify(reading)}`);
  expect(failed).toEqual([]);
});
