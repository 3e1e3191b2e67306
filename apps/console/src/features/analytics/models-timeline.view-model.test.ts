import { describe, expect, it } from "vitest";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import { toModelsTimeline } from "./models-timeline.view-model.ts";

const of = (at: number, model: string, requests: number) =>
  makeUsageRow(at, { model }, { requests });

describe("toModelsTimeline", () => {
  it("stacks the models with the most by name and the others together, and loses no call of a model", () => {
    const rows = [
      of(0, "gpt-4o", 50),
      of(2, "gpt-4o", 10),
      of(1, "claude-sonnet", 40),
      of(0, "llama", 30),
      of(0, "mistral", 20),
      of(0, "gemma", 2),
      of(2, "phi", 1),
      of(0, "", 1000),
    ];
    const { series, buckets } = toModelsTimeline(makeUsageReport({ rows }), undefined);
    expect(series.map(({ label, values }) => [label, values])).toEqual([
      ["gpt-4o", [50, 0, 10]],
      ["claude-sonnet", [0, 40, 0]],
      ["llama", [30, 0, 0]],
      ["mistral", [20, 0, 0]],
      ["2 other models", [2, 0, 1]],
    ]);
    expect(new Set(series.map(({ tone }) => tone)).size).toBe(series.length);
    expect(buckets).toHaveLength(3);
  });

  it("has one series for one model, and none where no call named one", () => {
    const one = toModelsTimeline(makeUsageReport({ rows: [of(1, "gpt-4o", 5)] }), undefined);
    expect(one.series.map(({ label, values }) => [label, values])).toEqual([["gpt-4o", [0, 5, 0]]]);
    const none = toModelsTimeline(makeUsageReport({ rows: [of(1, "", 5)] }), undefined);
    expect(none.series).toEqual([]);
  });
});
