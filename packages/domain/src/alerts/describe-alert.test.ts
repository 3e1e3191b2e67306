import { describe, expect, it } from "vitest";
import {
  describeAlert,
  describeRecovery,
  formatMeasured,
  formatMinutes,
  nameMeasure,
} from "./describe-alert.ts";

describe("describeAlert", () => {
  it.each([
    [
      {
        measure: "requests",
        windowMinutes: 5,
        condition: { kind: "above", threshold: 1_000, clear: 1_000 },
      },
      "Requests above 1,000 in 5 minutes",
    ],
    [
      {
        measure: "error_rate",
        windowMinutes: 60,
        condition: { kind: "above", threshold: 0.05, clear: 0.01 },
      },
      "Error rate above 5% in 1 hour",
    ],
    [
      {
        measure: "latency_p95",
        windowMinutes: 1,
        condition: { kind: "below", threshold: 2.5, clear: 3 },
      },
      "p95 latency below 2.5 ms in 1 minute",
    ],
    [
      {
        measure: "meter:tokens",
        windowMinutes: 1_440,
        condition: { kind: "change", direction: "down", threshold: 50, clear: 20 },
      },
      "Meter tokens down by more than 50% against the 24 hours before",
    ],
    [
      {
        measure: "requests",
        windowMinutes: 60,
        condition: { kind: "change", direction: "up", threshold: 12.5, clear: 0 },
      },
      "Requests up by more than 12.5% against the hour before",
    ],
    [
      { measure: "requests", windowMinutes: 30, condition: { kind: "no_data" } },
      "Requests: nothing counted in 30 minutes",
    ],
  ] as const)("says %j as %s", (rule, text) => {
    expect(describeAlert(rule)).toBe(text);
  });

  it("names values with their units, and unknown measures as they are", () => {
    expect(formatMeasured("requests", null)).toBe("no data");
    expect(formatMeasured("latency_p99", 1_234.5)).toBe("1.23 s");
    expect(formatMeasured("latency_p99", 120.4)).toBe("120 ms");
    expect(formatMeasured("error_rate", 0.054)).toBe("5.4%");
    expect(formatMeasured("requests", 1_204)).toBe("1,204 requests");
    expect(formatMeasured("denied", 1)).toBe("1 denied call");
    expect(formatMeasured("bytes_out", 1)).toBe("1 byte");
    expect(formatMeasured("bytes_out", 999)).toBe("999 bytes");
    expect(formatMeasured("bytes_out", 5_200_000)).toBe("5.2 MB");
    expect(formatMeasured("meter:tokens", 12_300.5)).toBe("12,300.5");
    expect(formatMinutes(360)).toBe("6 hours");
    expect(formatMinutes(90)).toBe("90 minutes");
    expect(nameMeasure("spend")).toBe("spend");
  });

  it("uses the operator's name of a meter, and adds the unit where the name lacks it", () => {
    const tokens = { name: "Tokens", unit: "token" };
    const answers = { name: "Answer time", unit: "second" };
    const condition = { kind: "above", threshold: 1_250.5, clear: 1 } as const;
    const rule = { windowMinutes: 5, condition };
    expect(describeAlert({ ...rule, measure: "meter:tokens", meter: tokens })).toBe(
      "Tokens above 1,250.5 in 5 minutes",
    );
    expect(describeAlert({ ...rule, measure: "meter:answers", meter: answers })).toBe(
      "Answer time above 1,250.5 seconds in 5 minutes",
    );
    expect(describeRecovery({ ...rule, measure: "meter:answers", meter: answers })).toBe(
      "At 1 second or less",
    );
    expect(formatMeasured("meter:tokens", 1, tokens)).toBe("1 token");
    expect(formatMeasured("meter:tokens", 2, tokens)).toBe("2 tokens");
  });

  it("shows thresholds to the last digit", () => {
    const notify = (measure: string, threshold: number) =>
      describeAlert({
        measure,
        windowMinutes: 1,
        condition: { kind: "above", threshold, clear: threshold },
      });
    expect(notify("latency_p95", 0.25)).toBe("p95 latency above 0.25 ms in 1 minute");
    expect(notify("latency_p95", 1_234.5)).toBe("p95 latency above 1.2345 s in 1 minute");
    expect(notify("bytes_in", 2_000_000)).toBe("Bytes in above 2 MB in 1 minute");
  });
});
