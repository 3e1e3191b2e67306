import fc from "fast-check";
import { expect, it } from "vitest";
import {
  findLimitFault,
  type TenantTerms,
  toLimitsForm,
  toOverrides,
} from "./limits.view-model.ts";

const plan: TenantTerms["plan"] = {
  rateLimits: [
    { name: "second", limit: 10, windowSeconds: 1 },
    { name: "minute", limit: 100, windowSeconds: 60 },
  ],
  quotas: [{ meter: "requests", limit: 50_000, kind: "hard" }],
  concurrency: 20,
};

function makeTerms(overrides: TenantTerms["overrides"]): TenantTerms {
  return {
    tenantId: "ten_0199f3b0c1d27a4e8f60112233445566" as TenantTerms["tenantId"],
    ...{ planId: "pro", planVersion: 1, plan, overrides },
    terms: plan,
  };
}

it("shows the plan's numbers beside empty fields, and sends nothing that was not typed", () => {
  const terms = makeTerms({});
  const form = toLimitsForm(terms);
  expect(form.rateLimits.map(({ ofPlan, own }) => [ofPlan, own])).toEqual([
    [10, ""],
    [100, ""],
  ]);
  expect(toOverrides(form, terms)).toEqual({});
});

it("replaces one number of a list, and keeps the others as the plan has them", () => {
  const terms = makeTerms({});
  const form = toLimitsForm(terms);
  const [second, minute] = form.rateLimits;
  if (second === undefined || minute === undefined) {
    throw new Error("The plan has two rate limits.");
  }
  const changed = { ...form, rateLimits: [second, { ...minute, own: "500" }] };
  expect(toOverrides(changed, terms)).toEqual({
    rateLimits: [
      { name: "second", limit: 10, windowSeconds: 1 },
      { name: "minute", limit: 500, windowSeconds: 60 },
    ],
  });
});

it("gives back what it was made of, also limits that the plan does not have", () => {
  const limits = fc.integer({ min: 101, max: 1_000_000 });
  fc.assert(
    fc.property(
      fc.option(limits, { nil: undefined }),
      fc.option(limits, { nil: undefined }),
      fc.option(limits, { nil: undefined }),
      (minute, tiles, concurrency) => {
        const overrides: TenantTerms["overrides"] = {
          ...(minute !== undefined && {
            rateLimits: [
              { name: "second", limit: 10, windowSeconds: 1 },
              { name: "minute", limit: minute, windowSeconds: 60 },
            ],
          }),
          ...(tiles !== undefined && {
            quotas: [
              { meter: "requests", limit: 50_000, kind: "hard" },
              { meter: "tiles", limit: tiles, kind: "soft" },
            ],
          }),
          ...(concurrency !== undefined && { concurrency }),
        };
        const terms = makeTerms(overrides);
        expect(toOverrides(toLimitsForm(terms), terms)).toEqual(overrides);
      },
    ),
  );
});

it("takes whole numbers alone", () => {
  const row = { id: "a", label: "A", ofPlan: 1, own: "" };
  expect(findLimitFault(row)).toBeUndefined();
  expect(findLimitFault({ ...row, own: "12" })).toBeUndefined();
  expect(findLimitFault({ ...row, own: "1.5" })).toMatch(/whole number/);
  expect(findLimitFault({ ...row, own: "-1" })).toMatch(/whole number/);
});
