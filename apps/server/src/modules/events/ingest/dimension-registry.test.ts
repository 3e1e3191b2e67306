import { compileMeter, type Measurement } from "@turnpike/domain/events/measure-event";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { describe, expect, it } from "vitest";
import { createDimensionRegistry, OTHER } from "./dimension-registry.ts";

const METER = compileMeter(
  {
    meterId: "tokens",
    name: "Tokens",
    unit: "token",
    aggregation: "count",
    dimensions: [{ name: "model", pointer: "/model" }],
  },
  1,
);
const DAY_MS = 24 * 3_600_000;
const BOUNDS = { perTenantMax: 5, reservedPerTenant: 2, sharedMax: 4 };

function measured(model: string): Measurement {
  return { meter: METER, quantity: "1", value: undefined, unique: undefined, dimensions: [model] };
}

function openRegistry() {
  const book = createDimensionRegistry(BOUNDS);
  return (tenant: string, model: string, nowMs = 0) =>
    book.keep(`ten_${tenant}` as TenantId, measured(model), nowMs)[0];
}

describe("createDimensionRegistry", () => {
  it("keeps a bounded number of combinations of a meter and tenant, and those it has seen for the rest of the day", () => {
    const keep = openRegistry();
    const models = ["a", "b", "c", "d", "e", "f", "g"];
    const kept = ["a", "b", "c", "d", "e", OTHER, OTHER];
    expect(models.map((model) => keep("one", model))).toEqual(kept);
    expect(models.map((model) => keep("one", model))).toEqual(kept);
    expect(keep("one", "g", DAY_MS)).toBe("g");
  });

  it("keeps the first combinations of each tenant, however many the others have", () => {
    const keep = openRegistry();
    for (const tenant of ["one", "other"]) {
      for (const model of ["a", "b", "c", "d", "e"]) {
        keep(tenant, model);
      }
    }
    expect(keep("other", "e")).toBe(OTHER);
    expect(["a", "b", "c"].map((model) => keep("late", model))).toEqual(["a", "b", OTHER]);
  });
});
