import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Account, createAccount } from "../account/account.ts";
import { advance } from "../lifecycle/advance.ts";
import { readStory } from "../rehearsal/read-story.ts";
import { doStep } from "./do-step.ts";
import { quoteStep } from "./quote-step.ts";

const START_MS = Date.UTC(2025, 3, 1);
const DAY_MS = 24 * 60 * 60 * 1000;

const fee = (amount: string) => ({
  key: "base",
  price: { model: "flat", amount },
  interval: { month: 1 },
  timing: "advance",
});
const calls = {
  key: "calls",
  meter: "calls",
  price: { model: "per_unit", unitAmount: "0.5" },
  interval: { month: 1 },
  timing: "arrears",
};

function openAccount(): Account {
  const read = readStory({
    currency: "EUR",
    catalog: {
      meters: [{ meterId: "calls", aggregation: "count" }],
      plans: [
        { planId: "a", phases: [{ rateCards: [fee("10"), calls] }] },
        { planId: "b", phases: [{ rateCards: [fee("29.99"), calls] }] },
      ],
    },
    story: [],
  });
  if ("faults" in read) {
    throw new Error(read.faults.map(({ message }) => message).join(" "));
  }
  const { terms, customer } = read.story;
  const members = { do: "subscribe", plan: "a" };
  return doStep(createAccount(terms, customer), { members, atMs: START_MS });
}

function use(account: Account, quantity: string, atMs: number): Account {
  return doStep(account, {
    members: { do: "use", meter: "calls", quantity, at: new Date(atMs).toISOString() },
    atMs,
  });
}

describe("quoteStep", () => {
  it("shows exactly what the step then bills, and changes nothing", () => {
    const mode = fc.constantFrom("time", "nextPeriod", "none");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 * DAY_MS }), mode, (afterMs, proration) => {
        const atMs = START_MS + afterMs;
        const account = advance(openAccount(), { fromMs: START_MS, toMs: atMs });
        const step = { members: { do: "change", plan: "b", when: "now", proration }, atMs };
        const before = structuredClone(account.invoices);
        const quote = quoteStep(account, step);
        expect(account.invoices).toEqual(before);
        const billed = doStep(account, step);
        expect(billed.invoices.slice(account.invoices.length)).toEqual(quote.invoices);
        expect(billed.creditNotes.slice(account.creditNotes.length)).toEqual(quote.creditNotes);
        expect(billed.waiting).toEqual(quote.waiting);
        expect(billed.balance).toBe(quote.balance);
      }),
    );
  });

  it("moves with usage, so that a quote from before it no longer holds", () => {
    const atMs = START_MS + DAY_MS;
    const step = { members: { do: "change", plan: "b", when: "now" }, atMs };
    const account = use(openAccount(), "3", START_MS + 1);
    const [before] = quoteStep(account, step).invoices;
    const [after] = quoteStep(use(account, "4", START_MS + 2), step).invoices;
    expect((after?.total ?? 0n) - (before?.total ?? 0n)).toBe(200n);
  });

  it("refuses what the step refuses", () => {
    const step = { members: { do: "change", plan: "missing" }, atMs: START_MS };
    expect(() => quoteStep(openAccount(), step)).toThrow("There is no plan missing");
  });
});
