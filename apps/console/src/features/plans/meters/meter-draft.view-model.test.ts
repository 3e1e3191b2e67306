import { meterInput } from "@turnpike/contract/catalog";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toEventSamples, toSampleData } from "./meter.view-model.ts";
import {
  addDimension,
  listDifferences,
  toMeterChange,
  toMeterDraft,
  toMeterId,
  toMeterInput,
  toPreviewInput,
} from "./meter-draft.view-model.ts";

const TOKENS = {
  meterId: "tokens",
  version: 3,
  name: "Tokens",
  unit: "token",
  aggregation: "sum" as const,
  eventType: "llm.call",
  valuePointer: "/usage/tokens",
  dimensions: [{ name: "model", pointer: "/model" }],
};

describe("the draft of a meter", () => {
  it("gives the same meter when nothing is edited", () => {
    const { version: _, ...definition } = TOKENS;
    expect(toMeterInput(toMeterDraft(TOKENS))).toEqual(definition);
    expect(listDifferences(TOKENS, toMeterDraft(TOKENS))).toEqual([]);
  });

  it("names what a version would change", () => {
    const draft = { ...toMeterDraft(TOKENS), valuePointer: "/total", dimensions: [] };
    expect(listDifferences(TOKENS, draft)).toEqual([
      { label: "Value", from: "/usage/tokens", to: "/total" },
      { label: "Dimensions", from: "model (/model)", to: "none" },
    ]);
    expect(toMeterChange(draft)).toMatchObject({ valuePointer: "/total", dimensions: null });
    expect(toMeterChange(draft)).not.toHaveProperty("aggregation");
  });

  it("has no value when each event counts as one, and no type or dimensions when calls are counted", () => {
    const draft = toMeterDraft(TOKENS);
    expect(toMeterInput({ ...draft, aggregation: "count" })).not.toHaveProperty("valuePointer");
    const calls = toMeterInput({ ...draft, source: "calls" });
    expect(Object.keys(calls).sort()).toEqual(["aggregation", "meterId", "name", "unit"]);
    expect(meterInput.safeParse(calls).success).toBe(true);
  });

  it("can be rehearsed before it has a name", () => {
    const draft = { ...toMeterDraft(undefined), eventType: "llm.call", valuePointer: "/n" };
    expect(meterInput.safeParse(toPreviewInput(draft)).success).toBe(true);
  });

  it("turns names into ids that the API accepts, or into none", () => {
    expect(toMeterId("Input tokens (GPT)")).toBe("input-tokens-gpt");
    expect(toMeterId("3 Größen")).toBe("gro-en");
    expect(toMeterId("漢字")).toBe("");
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(toMeterId(name)).toMatch(/^([a-z][a-z0-9]*(-[a-z0-9]+)*)?$/);
      }),
    );
  });

  it("gives each added dimension its own id", () => {
    const rows = addDimension(addDimension(addDimension([]).slice(0, 0)));
    expect(new Set(rows.map(({ rowId }) => rowId)).size).toBe(rows.length);
  });
});

describe("a first event", () => {
  it("has data in which the meter finds its value and dimensions", () => {
    expect(toSampleData(TOKENS)).toEqual({ model: "some model", usage: { tokens: 42 } });
    expect(toSampleData({ aggregation: "unique_count", valuePointer: "/user~1id" })).toEqual({
      "user/id": "user-1",
    });
    expect(toSampleData({ aggregation: "count" })).toEqual({});
  });

  it("is quoted exactly for a shell regardless of its quotes", () => {
    const meter = { ...TOKENS, eventType: "it's", dimensions: undefined };
    const [curl] = toEventSamples(meter, { apiUrl: "https://api.example.com", subject: undefined });
    expect(curl?.code).toContain('"type": "it\'\\\'\'s"');
    expect(curl?.code).toContain("TENANT_ID");
  });
});
