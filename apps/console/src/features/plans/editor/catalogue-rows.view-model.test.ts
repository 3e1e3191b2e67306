import { describe, expect, it } from "vitest";
import { makeFee } from "#components/billing/plan.fixture.ts";
import type { Plan } from "#platform/shared-queries.ts";
import { toCatalogueRows } from "./catalogue-rows.view-model.ts";

const plan = (planId: string, more: Partial<Plan> = {}): Plan => ({
  planId,
  version: 3,
  isDefault: false,
  name: planId.toUpperCase(),
  description: "",
  currency: "USD",
  pricePerMonth: "49",
  visibility: "public",
  rateLimits: [],
  quotas: [],
  concurrency: null,
  scopes: [],
  phases: [{ rateCards: [makeFee("49")] }],
  isAddOn: false,
  archivedAt: null,
  ...more,
});
const draft = (planId: string, name: string) => ({
  planId,
  name,
  revision: "7",
  isNew: true,
  updatedAt: "2026-11-26T00:00:00.000Z",
  updatedBy: "user usr_1",
});

describe("the rows of the catalogue", () => {
  const rows = toCatalogueRows(
    [
      plan("old", { archivedAt: "2026-11-01T00:00:00.000Z" }),
      plan("free", { isDefault: true, pricePerMonth: "0", phases: [] }),
      plan("pro", { visibility: "private", isAddOn: true }),
    ],
    [draft("pro", "Pro"), draft("next", "")],
  );

  it("are the offered plans, then new drafts, then what is archived", () => {
    expect(rows.map(({ planId }) => planId)).toEqual(["free", "pro", "next", "old"]);
  });

  it("say whether a plan is published, archived, or has a draft", () => {
    expect(rows.map(({ states }) => states.map(({ label }) => label).join())).toEqual([
      "Published",
      "Published,Draft",
      "Draft",
      "Archived",
    ]);
  });

  it("mark what is special, and name a draft without a name by its id", () => {
    expect(rows.map(({ marks }) => marks.join())).toEqual(["Default", "Private,Add-on", "", ""]);
    expect(rows[2]).toMatchObject({ name: "next", version: undefined, price: undefined });
    expect(rows[1]).toMatchObject({ price: "$49 a month", version: 3 });
  });

  it("say a price in its own interval", () => {
    const yearly = { ...makeFee("4990"), interval: { year: 1 } };
    const more = { pricePerMonth: "415.833333333333", phases: [{ rateCards: [yearly] }] };
    expect(toCatalogueRows([plan("yearly", more)], [])).toMatchObject([{ price: "$4,990 a year" }]);
  });
});
