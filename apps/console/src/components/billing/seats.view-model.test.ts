import { describe, expect, it } from "vitest";
import { listSeats } from "./seats.view-model.ts";

const price = { model: "flat" as const, amount: "9" };
const PLAN = {
  phases: [
    {
      rateCards: [
        { key: "base", price },
        { key: "team-seats", price, quantity: "1" },
        { key: "support", name: "Support hours", price, quantity: "2" },
      ],
    },
  ],
};
const seat = (card: string, quantity: string) => ({ card, name: card, quantity });
const SUBSCRIPTION = {
  phase: 0,
  seats: [seat("base", "1"), seat("team-seats", "1"), seat("support", "2")],
};

describe("listSeats", () => {
  it("leaves out fees that are not bought in a number", () => {
    expect(listSeats(SUBSCRIPTION, PLAN).map(({ name }) => name)).toEqual([
      "Team seats",
      "Support hours",
    ]);
  });

  it("shows another number than one also where the plan is not known", () => {
    expect(listSeats(SUBSCRIPTION, undefined).map(({ name }) => name)).toEqual(["Support"]);
  });
});
