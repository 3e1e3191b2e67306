import { describe, expect, it } from "vitest";
import { findHidden } from "./siblings.view-model.ts";

const offer = (name: string, unit: "month" | "year", every = 1, currency = "USD") => ({
  name,
  currency,
  interval: { every, unit },
});

describe("findHidden", () => {
  it("hides the sibling of the other rhythm, and nothing else", () => {
    const offers = [
      offer("Free", "month"),
      offer("Pro", "month"),
      offer("Pro (yearly)", "month", 12),
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

  it("has nothing to choose without siblings, nor between currencies", () => {
    expect(findHidden([offer("Pro", "month"), offer("Scale", "year")], "month")).toBe(undefined);
    expect(findHidden([offer("Pro", "month"), offer("Pro", "year", 1, "EUR")], "month")).toBe(
      undefined,
    );
  });
});
