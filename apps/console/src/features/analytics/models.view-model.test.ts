import { describe, expect, it } from "vitest";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import type { Meter } from "./meters.view-model.ts";
import { isCallPart, listParts, listTokenMeters, toPartName } from "./meters.view-model.ts";
import { sumByModel } from "./model-costs.queries.ts";
import { toModelTable } from "./models.view-model.ts";

const makeMeter = (meterId: string, more: Partial<Meter> = {}): Meter => ({
  ...{ meterId, version: 1, name: meterId, unit: "token", aggregation: "count", dimensions: [] },
  ...more,
});
const INPUT = makeMeter("input");
const OUTPUT = makeMeter("output");
const UNUSED = makeMeter("unused");
const EVENTS = makeMeter("events", {
  eventType: "llm.call",
  dimensions: [{ name: "region", pointer: "/region" }],
});

describe("the table of models", () => {
  const report = makeUsageReport({
    grain: null,
    rows: [
      makeUsageRow(null, { model: "" }, { requests: 900, "meter:input": "0" }),
      makeUsageRow(
        null,
        { model: "large" },
        {
          requests: 7,
          "meter:input": "90071992547409931",
          "meter:output": "3",
          "meter:unused": "0",
        },
      ),
      makeUsageRow(null, { model: "{other}" }, { requests: 2, "meter:input": "0" }),
    ],
  });

  it("has each model with its exact units, without calls that name none and meters that none cost", () => {
    const { meters, lines } = toModelTable(report, [INPUT, OUTPUT, UNUSED], undefined);
    expect(meters).toEqual([INPUT, OUTPUT]);
    expect(lines).toEqual([
      {
        model: "large",
        label: "large",
        requests: 7,
        units: ["90071992547409931", "3"],
        cost: undefined,
      },
      { model: "{other}", label: "Other models", requests: 2, units: ["0", "0"], cost: undefined },
    ]);
  });

  it("has what each costs, summed exactly over the lines of the invoice", () => {
    const byModel = sumByModel([
      { model: "large", amount: "0.10" },
      { model: null, amount: "5.00" },
      { model: "large", amount: "0.20" },
    ]);
    const table = toModelTable(report, [INPUT], { currency: "EUR", byModel });
    expect(table.currency).toBe("EUR");
    expect(table.lines.map(({ cost }) => cost)).toEqual(["0.3", undefined]);
  });
});

describe("the parts of a meter", () => {
  it("are those of calls for tokens, and of events for the rest", () => {
    expect(listParts(OUTPUT)).toEqual(["model", "key", "route"]);
    expect(listParts(EVENTS)).toEqual(["event:region"]);
    expect(listParts(makeMeter("requests"))).toEqual([]);
    expect(listTokenMeters([makeMeter("requests"), INPUT, EVENTS])).toEqual([INPUT]);
    expect(isCallPart("event:region")).toBe(false);
    expect(["event:region", "model"].map((part) => toPartName(part as "model"))).toEqual([
      "region",
      "model",
    ]);
  });
});
