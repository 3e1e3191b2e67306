import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCurrency } from "../../money/currency.ts";
import { toScaled } from "../../money/decimal.ts";
import { playStory } from "./play-story.ts";
import { randomStory } from "./random-story.fixture.ts";
import type { PlayedStory, StoryInvoice, StoryLine } from "./to-story-result.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const START_MS = Date.UTC(2024, 0, 31);
/** Stories for each guarantee: each has up to a hundred invoices. */
const RUNS = 40;

function play(story: object): PlayedStory {
  const result = playStory(JSON.parse(JSON.stringify(story)));
  if (!("invoices" in result)) {
    throw new Error(JSON.stringify(result.refused));
  }
  return result;
}

function sum<Item>(items: readonly Item[], pick: (item: Item) => string | undefined): bigint {
  return items.reduce((total, item) => total + toScaled(pick(item) ?? "0"), 0n);
}

function isReduction({ kind }: StoryLine): boolean {
  return kind === "discount" || kind === "promotional";
}

function notesOf({ creditNotes }: PlayedStory, invoice: number) {
  return creditNotes.filter((note) => note.invoice === invoice);
}

describe("any invoice of any story", () => {
  const eachInvoice = (check: (invoice: StoryInvoice, story: PlayedStory, index: number) => void) =>
    fc.assert(
      fc.property(randomStory, (story) => {
        const result = play(story);
        for (const [index, invoice] of result.invoices.entries()) {
          check(invoice, result, index);
        }
      }),
      { numRuns: RUNS },
    );

  it("comes to the sum of its lines and taxes", () => {
    fc.assert(
      fc.property(randomStory, (story) => {
        const isGross = story.seller !== undefined && "pricesInclude" in story.seller;
        for (const { lines, net, taxes, total } of play(story).invoices) {
          expect(toScaled(net) + sum(taxes, ({ amount }) => amount)).toBe(toScaled(total));
          expect(sum(lines, ({ amount }) => amount)).toBe(toScaled(isGross ? total : net));
          const keys = taxes.map(({ category, rate, name }) => `${category} ${rate} ${name ?? ""}`);
          expect(new Set(keys).size).toBe(keys.length);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("takes off its lines exactly what its discounts say, and never more than a line", () => {
    eachInvoice(({ lines }) => {
      const off = sum(lines.filter(isReduction), ({ amount }) => amount);
      expect(sum(lines, ({ discount }) => discount)).toBe(-off);
      for (const { amount, discount } of lines.filter((line) => !isReduction(line))) {
        expect(toScaled(discount ?? "0") <= toScaled(amount)).toBe(true);
      }
    });
  });

  it("is never credited for more than it came to, line by line and tax by tax", () => {
    eachInvoice((invoice, story, index) => {
      const notes = notesOf(story, index);
      expect(sum(notes, ({ total }) => total)).toBe(toScaled(invoice.credited));
      expect(toScaled(invoice.credited) <= toScaled(invoice.total)).toBe(true);
      for (const [line, { amount, discount }] of invoice.lines.entries()) {
        const credits = notes
          .flatMap(({ lines }) => lines)
          .filter((credit) => credit.line === line);
        const left = toScaled(amount) - toScaled(discount ?? "0");
        expect(credits.length === 0 || sum(credits, (credit) => credit.amount) <= left).toBe(true);
      }
      for (const { category, rate, name, amount } of invoice.taxes) {
        const credited = notes
          .flatMap(({ taxes }) => taxes)
          .filter((tax) => tax.category === category && tax.rate === rate && tax.name === name);
        expect(sum(credited, (tax) => tax.amount) <= toScaled(amount)).toBe(true);
      }
    });
  });

  it("is settled by what was paid for it: no money appears or vanishes", () => {
    fc.assert(
      fc.property(randomStory, (story) => {
        const result = play(story);
        let balance = sum(result.creditNotes, ({ toBalance }) => toBalance);
        for (const [index, invoice] of result.invoices.entries()) {
          const { total, fromBalance, prepaid, paid, due, status } = invoice;
          const toDue = sum(notesOf(result, index), (note) => note.toDue);
          const applied =
            status === "void"
              ? 0n
              : toScaled(total) - toScaled(fromBalance) - toScaled(prepaid) - toDue - toScaled(due);
          expect(applied <= toScaled(paid)).toBe(true);
          balance += toScaled(paid) - applied - (status === "void" ? 0n : toScaled(fromBalance));
          expect(toScaled(due) > 0n).toBe(status === "open");
        }
        expect(toScaled(result.balance)).toBe(balance);
        for (const { granted, balance: left } of result.credits) {
          expect(toScaled(left) >= 0n && toScaled(left) <= toScaled(granted)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("has the next number of its series, lines of some length, and the currency's decimals", () => {
    fc.assert(
      fc.property(randomStory, (story) => {
        const result = play(story);
        const digits = findCurrency(story.currency)?.digits ?? 2;
        for (const [series, documents] of [
          ["INV", result.invoices],
          ["CN", result.creditNotes],
        ] as const) {
          const counts = new Map<string, number>();
          for (const { number, issuedAt, total } of documents) {
            const year = issuedAt.slice(0, 4);
            const next = (counts.get(year) ?? 0) + 1;
            counts.set(year, next);
            expect(number).toBe(`${series}-${year}-${String(next).padStart(6, "0")}`);
            expect(total.split(".")[1]?.length ?? 0).toBe(digits);
          }
        }
        for (const { from, to } of result.invoices.flatMap(({ lines }) => lines)) {
          expect(from === undefined || to === undefined || from < to).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

const flat = (amount: string) => ({ model: "flat", amount });
const monthly = (amount: string, timing = "advance") => ({
  rateCards: [{ key: "base", price: flat(amount), interval: { month: 1 }, timing }],
});
const instant = (day: number) => new Date(START_MS + day * DAY_MS).toISOString();

describe("a change of plan", () => {
  const cents = fc.integer({ min: 1, max: 1_000_000 }).map((value) => (value / 100).toFixed(2));

  it("from A to B and back at one instant comes to zero", () => {
    fc.assert(
      fc.property(cents, cents, fc.integer({ min: 0, max: 29 * DAY_MS - 1 }), (a, b, afterMs) => {
        const at = new Date(START_MS + afterMs).toISOString();
        const { invoices, creditNotes, balance } = play({
          currency: "USD",
          catalog: {
            plans: [
              { planId: "a", phases: [monthly(a)] },
              { planId: "b", phases: [monthly(b)] },
            ],
          },
          story: [
            { at: instant(0), do: "subscribe", plan: "a" },
            { at: instant(0), do: "pay" },
            { at, do: "change", plan: "b", when: "now" },
            { at, do: "change", plan: "a", when: "now" },
          ],
          until: at,
        });
        const billed = sum(invoices, ({ total }) => total) - sum(creditNotes, ({ total }) => total);
        expect(billed).toBe(toScaled(a));
        expect(sum(invoices, ({ due }) => due) - toScaled(balance)).toBe(0n);
      }),
    );
  });

  it("never credits more than was billed, however often it happens", () => {
    const plans = ["a", "b", "c"];
    const changes = fc.array(
      fc.tuple(fc.constantFrom(...plans), fc.integer({ min: 0, max: DAY_MS })),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(changes, cents, cents, cents, (list, ...prices) => {
        let nowMs = START_MS;
        const story = list.map(([plan, passedMs]) => {
          nowMs += passedMs;
          return { at: new Date(nowMs).toISOString(), do: "change", plan, when: "now" };
        });
        const { invoices } = play({
          currency: "USD",
          catalog: {
            plans: plans.map((planId, index) => ({
              planId,
              phases: [monthly(prices[index] ?? "1")],
            })),
          },
          story: [{ at: instant(0), do: "subscribe", plan: "a" }, ...story],
          until: instant(20),
        });
        for (const { total, credited } of invoices) {
          expect(toScaled(credited) <= toScaled(total)).toBe(true);
        }
      }),
    );
  });
});

describe("the periods of a fee", () => {
  it("follow each other without a gap or an overlap, and whole ones cost the price", () => {
    const intervals = fc
      .tuple(
        fc.constantFrom("day", "week", "month", "quarter", "year"),
        fc.integer({ min: 1, max: 5 }),
      )
      .map(([unit, every]) => ({ [unit]: every }));
    fc.assert(
      fc.property(intervals, fc.integer({ min: -400, max: 400 }), (interval, anchorDay) => {
        const { invoices } = play({
          currency: "USD",
          catalog: {
            plans: [
              {
                planId: "a",
                phases: [
                  {
                    rateCards: [
                      { key: "base", price: flat("110.60"), interval, timing: "advance" },
                    ],
                  },
                ],
              },
            ],
          },
          story: [{ at: instant(0), do: "subscribe", plan: "a", anchor: instant(anchorDay) }],
          until: instant(800),
        });
        const lines = invoices.flatMap((invoice) => invoice.lines);
        const starts = [instant(0).replace(".000Z", "Z"), ...lines.map(({ to }) => to)];
        expect(lines.map(({ from }) => from)).toEqual(starts.slice(0, -1));
        expect(new Set(lines.slice(1).map(({ amount }) => amount)).size).toBeLessThanOrEqual(1);
        expect(lines[1]?.amount ?? "110.60").toBe("110.60");
        expect(Date.parse(lines.at(-1)?.to ?? "") > START_MS + 800 * DAY_MS).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("usage", () => {
  it("is on invoices exactly once, however late it is recorded and with any change around it", () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant("use"),
        meter: fc.constant("calls"),
        quantity: fc.constantFrom("1", "2.5", "7"),
      }),
      fc.record({
        do: fc.constant("change"),
        plan: fc.constantFrom("a", "b"),
        when: fc.constantFrom("now", "period_end"),
        proration: fc.constantFrom("time", "nextPeriod", "none"),
      }),
      fc.record({
        do: fc.constant("seats"),
        card: fc.constant("base"),
        quantity: fc.constantFrom("0", "3"),
      }),
      fc.record({
        do: fc.constantFrom("pause", "resume"),
        when: fc.constantFrom("now", "period_end"),
      }),
    );
    const steps = fc.array(
      fc.tuple(step, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 40 })),
      { maxLength: 25 },
    );
    const planOf = (planId: string, interval: object) => ({
      planId,
      phases: [
        {
          rateCards: [
            { key: "base", price: flat("30"), interval: { month: 1 }, timing: "advance" },
            {
              key: "calls",
              meter: "calls",
              price: { model: "per_unit", unitAmount: "1" },
              interval,
              timing: "arrears",
            },
          ],
        },
      ],
    });
    fc.assert(
      fc.property(steps, (list) => {
        let day = 0;
        const story = list.map(([of, passed, late]) => {
          // A stretch of no length is not rated, so nothing is paused at the instant of a use.
          day += of.do === "pause" ? passed + 0.5 : passed;
          const isUse = of.do === "use";
          return isUse
            ? { ...of, at: instant(Math.max(0, day - late)), recordedAt: instant(day) }
            : { ...of, at: instant(day) };
        });
        const { invoices, refused } = play({
          currency: "USD",
          catalog: {
            meters: [{ meterId: "calls", aggregation: "sum" }],
            plans: [planOf("a", { month: 1 }), planOf("b", { week: 1 })],
          },
          story: [
            { at: instant(0), do: "subscribe", plan: "a" },
            ...story,
            { at: instant(day + 1), do: "cancel", when: "now" },
          ],
          until: instant(day + 1),
        });
        const isRefused = new Set(refused.map((refusal) => refusal.step));
        const used = story.filter((of, index) => of.do === "use" && !isRefused.has(index + 1));
        const lines = invoices.flatMap((invoice) => invoice.lines);
        const billed = lines.filter(({ kind }) => kind === "usage" || kind === "late");
        expect(sum(billed, ({ quantity }) => quantity)).toBe(
          sum(used, (of) => ("quantity" in of ? of.quantity : undefined)),
        );
        expect(sum(billed, ({ amount }) => amount)).toBe(sum(billed, ({ quantity }) => quantity));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("the credit notes of an invoice", () => {
  it("are together the invoice, tax by tax, however it is cut", () => {
    const cents = fc.integer({ min: 1, max: 30_000 }).map((value) => (value / 100).toFixed(2));
    const classes = ["standard", "low", "both"] as const;
    const taxRates = [
      { country: "DE", category: "S", rate: "19" },
      { country: "DE", class: "low", category: "S", rate: "7" },
      { country: "DE", class: "both", category: "S", rate: "7" },
      { country: "DE", class: "both", category: "S", rate: "9.975", name: "local" },
    ];
    fc.assert(
      fc.property(
        fc.tuple(cents, cents, cents),
        fc.array(cents, { maxLength: 8 }),
        fc.constantFrom("net", "gross"),
        (prices, amounts, pricesInclude) => {
          const story = {
            currency: "EUR",
            seller: { country: "DE", taxRates, pricesInclude },
            catalog: {
              plans: [
                {
                  planId: "a",
                  phases: [
                    {
                      rateCards: prices.map((amount, index) => ({
                        key: `fee-${String(index)}`,
                        price: flat(amount),
                        interval: { month: 1 },
                        timing: "advance",
                        taxClass: classes[index],
                      })),
                    },
                  ],
                },
              ],
            },
            story: [
              { at: instant(0), do: "coupon", percent: "12.5" },
              { at: instant(0), do: "subscribe", plan: "a" },
              ...amounts.map((amount) => ({
                at: instant(1),
                do: "creditNote",
                invoice: 0,
                amount,
              })),
              { at: instant(2), do: "creditNote", invoice: 0 },
            ],
            until: instant(3),
          };
          const { invoices, creditNotes } = play(story);
          const [invoice] = invoices;
          expect(invoice?.credited).toBe(invoice?.total);
          expect(sum(creditNotes, ({ net }) => net)).toBe(toScaled(invoice?.net ?? "0"));
          for (const { rate, name, base, amount } of invoice?.taxes ?? []) {
            const rows = creditNotes
              .flatMap(({ taxes }) => taxes)
              .filter((tax) => tax.rate === rate && tax.name === name);
            expect(sum(rows, (tax) => tax.amount)).toBe(toScaled(amount));
            expect(sum(rows, (tax) => tax.base)).toBe(toScaled(base));
            expect(rows.every((tax) => toScaled(tax.amount) >= 0n)).toBe(true);
          }
        },
      ),
    );
  });
});
