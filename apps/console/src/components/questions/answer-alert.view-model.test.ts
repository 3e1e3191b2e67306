import { expect, it } from "vitest";
import { toAnswerAlert } from "./answer-alert.view-model.ts";
import { makeQuestionReply } from "./questions.fixture.ts";
import type { Answer } from "./questions.queries.ts";

const RATE = { name: "error_rate", title: "Error rate", unit: "share", unitName: null } as const;

function make(change: Partial<Answer>): Answer {
  const { answer } = makeQuestionReply();
  if (answer === null) {
    throw new Error("The fixture has no answer.");
  }
  return { ...answer, ...change };
}

const at = (hour: number, value: number) => ({
  time: `2026-07-06T0${String(hour)}:00:00.000Z`,
  group: {},
  values: { error_rate: value },
  before: null,
});

it("begins above the highest point of a series, in percent for rates, over the same filters", () => {
  const usage = { measures: "error_rate", from: "", to: "", key: "key_1", event: "model:large" };
  const answer = make({
    measures: [RATE],
    dimensions: [],
    grain: "hour",
    rows: [at(1, 0.0123), at(2, 0.04567), at(3, 0)],
    usage,
  });
  expect(toAnswerAlert(answer)).toEqual({
    measure: "error_rate",
    filters: { key: "key_1", event: "model:large" },
    kind: "above",
    threshold: 4.57,
    windowMinutes: 60,
  });
});

it("leaves the threshold to the person for a total, and is none for money and several tenants", () => {
  expect(toAnswerAlert(make({}))).toMatchObject({ measure: "requests", threshold: null });
  expect(toAnswerAlert(make({ usage: null }))).toBeUndefined();
  expect(toAnswerAlert(make({ usage: { measures: "requests", plan: "Pro" } }))).toBeUndefined();
});
