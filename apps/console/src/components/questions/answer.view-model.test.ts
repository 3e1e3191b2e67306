import { describe, expect, it } from "vitest";
import { formatValue, toAnalyticsSearch, toSeries, toShape } from "./answer.view-model.ts";
import { makeQuestionReply } from "./questions.fixture.ts";

const answer = makeQuestionReply().answer ?? expect.fail();
const ofDay = (day: string, key: string, requests: number) => ({
  time: `2026-07-${day}T00:00:00.000Z`,
  group: { route: key },
  values: { requests },
  before: null,
});

describe("an answer", () => {
  it("is drawn by what it holds", () => {
    const [row] = answer.rows;
    const series = { ...answer, grain: "day" as const, rows: [ofDay("06", "/a", 1)] };
    const compared = { ...answer, rows: [{ ...(row ?? expect.fail()), before: { requests: 1 } }] };
    expect([answer, series, compared, { ...answer, dimensions: [] }].map(toShape)).toEqual([
      "bars",
      "series",
      "table",
      "figures",
    ]);
  });

  it("is a series of each of the largest groups, zero without calls and unknown in the future", () => {
    const rows = ["a", "b", "c", "d", "e", "f", "g", "h"].map((key, at) =>
      ofDay("07", key, at + 1),
    );
    const drawn = toSeries(
      { ...answer, grain: "day", rows },
      { timeZone: "UTC", nowMs: Date.parse("2026-07-10T12:00:00Z") },
    );
    expect(drawn.isCut).toBe(true);
    expect(drawn.series.map(({ key }) => key)).toEqual(["h", "g", "f", "e", "d", "c", "b"]);
    expect(drawn.series[0]?.values).toEqual([0, 8, 0, 0, 0, null, null]);
  });

  it("leads to analytics where that can show it, and writes values in their units", () => {
    expect(toAnalyticsSearch(answer)).toMatchObject({ status: 404, timeZone: "UTC" });
    expect(toAnalyticsSearch({ usage: { ...answer.usage, tenant: "ten_1" } })).toBeUndefined();
    expect(toAnalyticsSearch({ usage: null })).toBeUndefined();
    const of = (unit: "money" | "share" | "milliseconds", unitName: string | null = null) => ({
      name: "x",
      title: "X",
      unit,
      unitName,
    });
    expect([
      formatValue(of("money", "EUR"), "12.50"),
      formatValue(of("share"), 0.125),
      formatValue(of("milliseconds"), null),
    ]).toEqual(["12.50 EUR", "12.5%", "–"]);
  });
});
