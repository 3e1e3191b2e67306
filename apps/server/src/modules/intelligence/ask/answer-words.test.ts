import { readdirSync, readFileSync } from "node:fs";
import type { Answer, AnswerMeasure, AskedQuery } from "@turnpike/contract/questions";
import { describe, expect, it } from "vitest";
import { readCatalogue } from "#platform/words/read-catalogue.ts";
import { describeRunOut } from "./answer-standing.ts";
import { wordsOf } from "./answer-words.ts";
import { describeRange } from "./describe-range.ts";
import { countOf, formatCell } from "./format-cell.ts";
import { writeSentence } from "./write-sentence.ts";

const FOLDERS = [
  new URL("./", import.meta.url),
  new URL("../../../../../../packages/domain/src/questions/", import.meta.url),
];
/** What the server says to a person who asks, as the code has it: the argument of these. */
const SAID =
  /\b(?:say|said|suggest|new CannotAnswer)\(\s*(?:"(?<plain>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)'|`(?<template>[^`]*)`)/g;

const toId = (template: string) => {
  let place = 0;
  return template.replaceAll(/\$\{[^}]*\}/g, () => `{${String(place++)}}`);
};

function listTemplates(): string[] {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => readFileSync(new URL(name, folder), "utf8")),
  );
  return [
    ...new Set(
      sources.flatMap((source) =>
        [...source.matchAll(SAID)].map(
          ({ groups }) =>
            groups?.["plain"] ?? groups?.["single"] ?? toId(groups?.["template"] ?? ""),
        ),
      ),
    ),
  ];
}

const english = wordsOf("en");
const german = wordsOf("de");
const UTC = "UTC";
const ms = (text: string) => Date.parse(`${text}Z`);

const REQUESTS: AnswerMeasure = {
  name: "requests",
  title: "Requests",
  unit: "count",
  unitName: null,
};
const LATENCY: AnswerMeasure = {
  name: "latency_p95",
  title: "p95 latency",
  unit: "milliseconds",
  unitName: null,
};
const WEEK = { from: "2026-07-06T00:00:00.000Z", to: "2026-07-13T00:00:00.000Z" };
const QUERY: AskedQuery = { measures: ["requests"], dimensions: [], filters: [], ...WEEK };
const ANSWER: Answer = {
  measures: [REQUESTS],
  dimensions: [],
  ...WEEK,
  grain: null,
  rows: [{ time: null, group: {}, values: { requests: 12_345 }, before: null }],
  totals: { requests: 12_345 },
  totalsBefore: null,
  names: { key_1: "production" },
  truncated: false,
  usage: null,
};
const rowOf = (group: Record<string, string>, requests: number, time: string | null = null) => ({
  time,
  group,
  values: { requests },
  before: null,
});

const write = (answer: Partial<Answer>, query: Partial<AskedQuery> = {}) =>
  writeSentence(
    { ...ANSWER, ...answer },
    { ...QUERY, ...query },
    {
      timeZone: UTC,
      nowMs: ms("2026-07-15T12:00"),
      words: german,
    },
  );

describe("answers in German", () => {
  it("have a translation for every sentence and every part of one in the code", () => {
    const messages = readCatalogue("answer-words", "de");
    const templates = listTemplates();
    expect(templates.length).toBeGreaterThan(200);
    expect(templates).toContain("The {0} accounts for {1} of the change.");
    expect(templates.filter((template) => messages?.has(template) !== true)).toEqual([]);
  });

  const ranges: readonly [from: string, to: string, during: string][] = [
    ["2026-07-13T00:00", "2026-07-14T00:00", "am 13. Juli 2026"],
    ["2026-07-06T00:00", "2026-07-13T00:00", "vom 6. bis 12. Juli 2026"],
    ["2026-06-29T00:00", "2026-07-06T00:00", "vom 29. Juni bis 5. Juli 2026"],
    ["2025-12-29T00:00", "2026-01-05T00:00", "vom 29. Dezember 2025 bis 4. Januar 2026"],
    ["2026-06-01T00:00", "2026-07-01T00:00", "im Juni 2026"],
    ["2026-01-01T00:00", "2027-01-01T00:00", "im Jahr 2026"],
    ["1970-01-01T00:00", "2026-07-16T00:00", "bis 15. Juli 2026"],
    [
      "2026-07-15T09:30",
      "2026-07-15T12:00",
      "vom 15. Juli 2026, 09:30 bis 15. Juli 2026, 12:00 (UTC)",
    ],
  ];
  it.each(ranges)("write the range from %s to %s as a German does", (from, to, during) => {
    expect(describeRange(german, { fromMs: ms(from), toMs: ms(to) }, UTC).during).toBe(during);
  });

  it("write figures with German separators, and units and amounts as pages have them", () => {
    const of = (unit: AnswerMeasure["unit"], unitName: string | null = null) => ({
      ...REQUESTS,
      unit,
      unitName,
    });
    expect([
      formatCell(of("share"), 0.0125, german),
      formatCell(of("milliseconds"), 12.5, german),
      formatCell(of("bytes"), 1_234_567, german),
      formatCell(of("bytes"), 1, german),
      formatCell(of("money", "EUR"), "1234.50", german),
      formatCell(of("count"), 1_234_567, german),
      formatCell(of("count"), null, german),
    ]).toEqual(["1,25 %", "12,5 ms", "1,23 MB", "1 Byte", "1.234,50 EUR", "1.234.567", "nichts"]);
    expect([0, 1, 2_000].map((count) => countOf(REQUESTS, count, german))).toEqual([
      "keine Anfragen",
      "1 Anfrage",
      "2.000 Anfragen",
    ]);
  });

  it("say sums, parts, series, comparisons and filters", () => {
    expect(write({})).toBe("Es gab 12.345 Anfragen vom 6. bis 12. Juli 2026.");
    expect(
      write(
        {},
        {
          filters: [
            { field: "key", op: "eq", value: "production" },
            { field: "route", op: "not_in", value: ["/v1/search", "/v1/orders"] },
          ],
        },
      ),
    ).toBe(
      "Es gab 12.345 Anfragen mit dem Schlüssel production nicht auf /v1/search oder /v1/orders vom 6. bis 12. Juli 2026.",
    );
    expect(
      write({
        dimensions: ["key"],
        rows: [rowOf({ key: "key_1" }, 12_000), rowOf({ key: "" }, 345)],
      }),
    ).toBe(
      "Es gab 12.345 Anfragen vom 6. bis 12. Juli 2026; am meisten: production 12.000 (97 %) und kein Schlüssel 345 (3 %).",
    );
    expect(
      write({
        grain: "day",
        rows: [rowOf({}, 45, "2026-07-06T00:00:00Z"), rowOf({}, 12_300, "2026-07-07T00:00:00Z")],
      }),
    ).toBe(
      "Es gab 12.345 Anfragen vom 6. bis 12. Juli 2026; der höchste Wert war 12.300, am 7. Juli.",
    );
    expect(write({ totalsBefore: { requests: 10_000 } }, { compare: "previous_period" })).toBe(
      "Es gab 12.345 Anfragen vom 6. bis 12. Juli 2026. Das sind 23,4 % mehr als die 10.000 im Zeitraum davor.",
    );
    expect(
      write({ measures: [LATENCY], totals: { latency_p95: 120 } }, { measures: ["latency_p95"] }),
    ).toBe("p95-Latenz vom 6. bis 12. Juli 2026: 120 ms.");
  });

  it("say which fit a comparison, and that none does", () => {
    const filters = [{ field: "requests", op: "gt" as const, value: 500 }];
    expect(
      write({ dimensions: ["route"], rows: [rowOf({ route: "/v1/search" }, 900)] }, { filters }),
    ).toBe("1 Route hat mehr als 500 Anfragen vom 6. bis 12. Juli 2026: /v1/search (900).");
    expect(write({ dimensions: ["route"], rows: [] }, { filters })).toBe(
      "Keine Treffer für Route: mehr als 500 Anfragen vom 6. bis 12. Juli 2026.",
    );
  });

  it("say when something runs out", () => {
    const item = {
      state: "runs_out",
      at: "2026-08-03T00:00:00Z",
      earliest80: "2026-07-30T00:00:00Z",
      latest80: null,
    } as Parameters<typeof describeRunOut>[0];
    expect(describeRunOut(item, { timeZone: UTC, words: german })).toBe(
      "Es ist voraussichtlich am 3. August 2026 aufgebraucht (in 4 von 5 Fällen: 30. Juli 2026 bis gar nicht).",
    );
  });

  it("recognise what the grammar assumed, and leave what a person typed", () => {
    expect(
      [
        "last 30 days",
        "by requests",
        "by latency (p95)",
        "3 whole weeks",
        "the first 10",
        "no longer only route /v1/search",
        "srch: /v1/search",
      ].map(german.recognise),
    ).toEqual([
      "die letzten 30 Tage",
      "nach Anfragen",
      "nach Latenz (p95)",
      "3 ganze Wochen",
      "die ersten 10",
      "nicht mehr nur route /v1/search",
      "srch: /v1/search",
    ]);
  });
});

describe("answers in English", () => {
  it("stay as the code has them", () => {
    expect(english.say("There is no {0} called {1}.", "key", "ci")).toBe(
      "There is no key called ci.",
    );
    expect(english.list(["a", "b", "c"], "or")).toBe("a, b or c");
    expect(english.inSentence("Error rate")).toBe("error rate");
  });
});
