import { describe, expect, it } from "vitest";
import { findHidden } from "./siblings.view-model.ts";

const offer = (
  name: string,
  unit: "month" | "year",
  { every = 1, currency = "USD", promise = "" } = {},
) => ({ name, currency, interval: { every, unit }, promise });

describe("findHidden", () => {
  it("hides the sibling of the other rhythm, and nothing else", () => {
    const offers = [
      offer("Free", "month"),
      offer("Pro", "month"),
      offer("Pro (yearly)", "month", { every: 12 }),
      offer("Scale monthly", "month"),
      offer("Scale annual", "year"),
    ];
    const shown = (rhythm: "month" | "year") => {
      const isHidden = findHidden(offers, rhythm);
      return offers.filter((one) => isHidden?.(one) !== true).map(({ name }) => name);
    };
    expect(shown("month")).toEqual(["Free", "Pro", "Scale monthly"]);
    expect(shown("year")).toEqual(["Free", "Pro (yearly)", "Scale annual"]);
  });

  it("knows siblings of other names by what they promise, in one currency", () => {
    const offers = [
      offer("Team", "month", { promise: "10,000 requests" }),
      offer("Team saver", "year", { promise: "10,000 requests" }),
      offer("Team euro", "year", { promise: "10,000 requests", currency: "EUR" }),
      offer("Fee", "month"),
      offer("Other fee", "year"),
    ];
    const isHidden = findHidden(offers, "month");
    expect(offers.filter((one) => isHidden?.(one) === true).map(({ name }) => name)).toEqual([
      "Team saver",
    ]);
  });

  it("has nothing to choose without siblings, nor between currencies", () => {
    expect(findHidden([offer("Pro", "month"), offer("Scale", "year")], "month")).toBe(undefined);
    expect(
      findHidden([offer("Pro", "month"), offer("Pro", "year", { currency: "EUR" })], "month"),
    ).toBe(undefined);
  });
});
