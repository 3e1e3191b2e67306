import { describe, expect, it } from "vitest";
import { makeCard } from "./card-draft.view-model.ts";
import {
  changeCard,
  listEntitlements,
  listModels,
  summarizeCard,
  titleOf,
} from "./card-words.view-model.ts";

const card = (...input: Parameters<typeof makeCard>) => ({ ...makeCard(...input), rowId: 0 });

describe("the words of a card", () => {
  it("say how it is charged and what it limits", () => {
    expect(summarizeCard(card("fee"))).toBe("Flat fee, every month, in advance");
    expect(
      summarizeCard({
        ...card("usage"),
        model: "volume",
        interval: { count: "3", unit: "month" },
        entitlement: "hard",
        limit: "50000",
      }),
    ).toBe("Volume tiers, every 3 months, hard limit of 50000");
    expect(summarizeCard(card("feature"))).toBe("Feature");
  });

  it("title it by its name, its meter or its key", () => {
    const meters = [{ meterId: "requests", name: "Requests" }];
    expect(titleOf({ ...card("usage"), meter: "requests", key: "r" }, meters)).toBe("Requests");
    expect(titleOf({ ...card("usage"), meter: "requests", name: "Calls" }, meters)).toBe("Calls");
    expect(titleOf({ ...card("fee"), key: "base" }, meters)).toBe("base");
    expect(titleOf(card("fee"), meters)).toBe("New fee");
  });

  it("offer what fits its kind, and what it has already", () => {
    expect(listModels("fee", "per_unit").map(({ value }) => value)).toContain("per_unit");
    expect(listModels("fee", "flat").map(({ value }) => value)).not.toContain("percentage");
    expect(listEntitlements("usage", "none").map(({ value }) => value)).toEqual([
      "none",
      "hard",
      "soft",
    ]);
  });
});

describe("changeCard", () => {
  it("gives a fee the key of its name, and usage that of its meter, until one is typed", () => {
    expect(changeCard(card("fee"), { name: "Platform fee" }).key).toBe("platform-fee");
    const usage = changeCard(card("usage"), { meter: "requests" });
    expect(changeCard(usage, { name: "Calls" }).key).toBe("requests");
    const typed = changeCard(usage, { key: "calls", isKeyTyped: true });
    expect(changeCard(typed, { meter: "images" }).key).toBe("calls");
  });
});
