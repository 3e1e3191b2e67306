import { describe, expect, it } from "vitest";
import {
  makeExhaustion,
  makeInvoiceForecast,
  makeMeterForecast,
} from "#components/forecast/forecast.fixture.ts";
import { describeProjection } from "#components/forecast/projection.view-model.ts";
import type { ForecastMiss } from "#platform/forecast-queries.ts";
import { describeAccuracy } from "./accuracy.view-model.ts";
import { toExhaustionView } from "./exhaustion.view-model.ts";
import {
  describeNotes,
  listOutlooks,
  listShown,
  toForecastChart,
} from "./usage-forecast.view-model.ts";

describe("the forecast of usage", () => {
  it("draws the past, then the forecast with a tint between its bounds, without a day on both", () => {
    const { buckets, series } = toForecastChart(makeMeterForecast(), 30);
    expect(buckets).toHaveLength(90);
    for (const { values } of series) {
      expect(values).toHaveLength(90);
    }
    const [past, forecast, high, low] = series;
    expect(past?.values.slice(58, 62)).toEqual([100, 100, null, null]);
    expect(forecast?.values.slice(58, 62)).toEqual([null, null, 100, 100]);
    expect(high?.downTo).toEqual(low?.values);
    expect(toForecastChart(makeMeterForecast(), 90).buckets).toHaveLength(150);
  });

  it("names the billing period and the next days, and leaves out meters without use", () => {
    expect(listOutlooks(makeMeterForecast())[0]).toEqual({
      label: "This billing period",
      mean: "3,100",
      range: "80%: 2,790 – 3,410",
    });
    const unused = makeMeterForecast({ meter: "tokens", state: "no_usage" });
    expect(listShown([makeMeterForecast(), unused])).toHaveLength(1);
    expect(listShown([unused])).toHaveLength(1);
    expect(describeNotes(makeMeterForecast({ notes: ["growing", "sparse"] }))).toHaveLength(2);
  });

  it("says how far off it was, which way, and whether that was kept or computed today", () => {
    const miss = (off: number | null, kind: ForecastMiss["kind"] = "kept"): ForecastMiss => ({
      kind,
      madeAt: "2026-11-06T00:00:00.000Z",
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-12-01T00:00:00.000Z",
      forecast: 1,
      lower80: 1,
      upper80: 1,
      actual: 1,
      off,
    });
    expect(describeAccuracy([])).toContain("once a billing period is over");
    expect(describeAccuracy([miss(0.04), miss(-0.09), miss(0.001)])).toBe(
      "When five days of the last 3 periods were known, the forecast of the whole was 4% too high, 9% too low, right to 1%.",
    );
    expect(describeAccuracy([miss(0.04, "back_test")])).toContain("Computed today");
    expect(describeAccuracy([miss(0.04), miss(null, "back_test")])).toContain("1 of them computed");
  });
});

describe("what runs out", () => {
  it("is dated with its range, or said to last, to be used up, or not to be known", () => {
    const whenOf = (changes: Parameters<typeof makeExhaustion>[0]) =>
      toExhaustionView(makeExhaustion(changes)).when;
    expect(whenOf({})).toBe("Runs out around Dec 10, 2026 (80%: Dec 8, 2026 to Dec 13, 2026).");
    expect(whenOf({ latest80: null })).toContain("Dec 8, 2026 or later");
    expect(whenOf({ resetsAt: "2026-12-01T00:00:00.000Z" })).toContain("Lasts this period; runs");
    const lasts = { state: "not_within_90_days", at: null, latest80: null } as const;
    expect(whenOf({ ...lasts, earliest80: null })).toContain("Lasts for at least");
    expect(whenOf(lasts)).toContain("may run out from Dec 8, 2026 on");
    expect(whenOf({ state: "exhausted", at: null })).toContain("Used up; it resets");
    expect(whenOf({ state: "not_enough_history", at: null })).toContain("Too little history");
  });

  it("names what is left in units or money, and one thing to do", () => {
    expect(toExhaustionView(makeExhaustion())).toMatchObject({
      name: "Quota of requests",
      left: "2,500 of 10,000 left",
      share: 0.75,
      tone: "warning",
      action: { to: "/plans" },
    });
    const credit = { kind: "credit", meter: null, name: "Credit", unit: "USD" } as const;
    expect(
      toExhaustionView(makeExhaustion({ ...credit, limit: "20.00", left: "5.00" })),
    ).toMatchObject({ left: "$5.00 of $20.00 left", action: { label: "Top up" } });
  });
});

describe("the projected invoice", () => {
  it("has its range unless there is none", () => {
    const [next] = makeInvoiceForecast().invoices;
    const total = next?.total ?? expect.fail();
    expect(describeProjection(total, "USD")).toBe("$123.40 (80%: $110.00 – $140.20)");
    const sure = { ...total, lower80: total.mean, upper80: total.mean };
    expect(describeProjection(sure, "USD")).toBe("$123.40");
  });
});
