import type { QuestionChoices, QuestionReply } from "./questions.queries.ts";

/** Where the questions of Ada are kept, below the tenant. */
export const KEPT_AT = "documents/my-questions-0199f3b0c1d27a4e8f60112233445588";

const REQUESTS = { name: "requests", title: "Requests", unit: "count", unitName: null } as const;

export const QUESTION_CHOICES: QuestionChoices = {
  suggestions: ["requests per day in the last 30 days", "when do we hit the quota?"],
  titles: ["requests per day in the last 30 days", "when do we hit the quota?"],
  measures: [REQUESTS, { name: "errors", title: "Errors", unit: "count", unitName: null }],
  dimensions: ["key", "route"],
  values: { key: ["production"], route: ["/v1/search", "/v1/orders"] },
};

/** Requests by route of one week. */
export function makeQuestionReply(reply: Partial<QuestionReply> = {}): QuestionReply {
  return {
    kind: "query",
    question: "requests by route last week",
    query: {
      measures: ["requests"],
      dimensions: ["route"],
      filters: [],
      from: "2026-07-06",
      to: "2026-07-13",
    },
    timeZone: "UTC",
    assumed: ["the first 10"],
    sentence: "There were 1,200 requests from 6 to 12 July 2026.",
    answer: {
      measures: [REQUESTS],
      dimensions: ["route"],
      from: "2026-07-06T00:00:00.000Z",
      to: "2026-07-13T00:00:00.000Z",
      grain: null,
      rows: [
        { time: null, group: { route: "/v1/search" }, values: { requests: 900 }, before: null },
        { time: null, group: { route: "/v1/orders" }, values: { requests: 300 }, before: null },
      ],
      totals: { requests: 1200 },
      totalsBefore: null,
      names: {},
      truncated: false,
      usage: {
        measures: "requests",
        dimensions: "route",
        from: "2026-07-06T00:00:00.000Z",
        to: "2026-07-13T00:00:00.000Z",
        timeZone: "UTC",
        status: "404",
      },
    },
    choices: [],
    titles: [],
    ...reply,
  };
}
