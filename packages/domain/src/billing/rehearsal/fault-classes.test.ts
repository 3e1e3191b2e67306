import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toScaled } from "../../money/decimal.ts";
import { period, periodAt } from "../../time/period.ts";
import { playStory } from "./play-story.ts";
import { randomStory } from "./random-story.fixture.ts";
import type { PlayedStory } from "./to-story-result.ts";

/** What rules out classes of public faults in billing that `invariants.test.ts` says nothing about. */

const DAY_MS = 24 * 60 * 60 * 1000;
const START_MS = Date.UTC(2024, 0, 31);
const RUNS = 60;

type Step = { at: string; do: string; [member: string]: unknown };

function play(story: object): PlayedStory {
  const result = playStory(JSON.parse(JSON.stringify(story)));
  if (!("invoices" in result)) {
    throw new Error(JSON.stringify(result.refused));
  }
  return result;
}

const instant = (day: number) => new Date(START_MS + Math.round(day * DAY_MS)).toISOString();

function sum<Item>(items: readonly Item[], pick: (item: Item) => string | undefined): bigint {
  return items.reduce((total, item) => total + toScaled(pick(item) ?? "0"), 0n);
}

const cents = fc.integer({ min: 1, max: 100_000 }).map((value) => (value / 100).toFixed(2));

/** A plan with a monthly fee in advance. */
const planOf = (planId: string, amount: string, more: object[] = []) => ({
  planId,
  phases: [
    {
      rateCards: [
        {
          key: "base",
          price: { model: "flat", amount },
          interval: { month: 1 },
          timing: "advance",
        },
        ...more,
      ],
    },
  ],
});

const CALLS = { meterId: "calls", aggregation: "count" };

describe("time", () => {
  it("comes to the same documents however it passes: in one go, in any pieces, or each instant twice", () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 300 * 24 }), { maxLength: 12 });
    fc.assert(
      fc.property(randomStory, cuts, (story, hours) => {
        const { invoices, creditNotes, balance, life, access } = play(story);
        // Paying an invoice that is not there is refused, and lets time pass up to there.
        const idle: Step[] = [...hours, ...hours].map((hour) => ({
          at: instant(hour / 24),
          do: "pay",
          invoice: 9_999,
        }));
        const recorded = (step: object): number =>
          Math.max(
            ...["at", "recordedAt"].flatMap((name) => {
              const text: unknown = Reflect.get(step, name);
              return typeof text === "string" ? [Date.parse(text)] : [];
            }),
          );
        const cut = [...story.story, ...idle]
          .map((step, place) => ({ step, place }))
          .sort((a, b) => recorded(a.step) - recorded(b.step) || a.place - b.place)
          .map(({ step }) => step);
        expect(play({ ...story, story: cut })).toMatchObject({
          invoices,
          creditNotes,
          balance,
          life,
          access,
        });
      }),
      { numRuns: RUNS },
    );
  });

  it("gives a quota once for each of its periods, on both sides of every boundary", () => {
    const limit = 10n;
    const uses = fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 90 }),
        fc.constantFrom(-1, 0, 1),
        fc.integer({ min: 1, max: 14 }),
      ),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(uses, fc.constantFrom("day", "week", "month"), (list, unit) => {
        const anchor = new Date(START_MS);
        // At a boundary, and a millisecond before and after it.
        const usages = list
          .map(([day, edge, quantity]) => {
            const { start } = periodAt(anchor, unit, new Date(START_MS + day * DAY_MS));
            return { atMs: Math.max(START_MS, start.getTime() + edge), quantity };
          })
          .sort((a, b) => a.atMs - b.atMs);
        const calls = {
          key: "calls",
          meter: "calls",
          price: { model: "per_unit", unitAmount: "1" },
          interval: { month: 1 },
          timing: "arrears",
          entitlement: { kind: "hard", limit: String(limit), refill: { [unit]: 1 } },
        };
        const { invoices } = play({
          currency: "USD",
          catalog: { meters: [CALLS], plans: [planOf("a", "0", [calls])] },
          story: [
            { at: instant(0), do: "subscribe", plan: "a" },
            ...usages.map(({ atMs, quantity }) => ({
              at: new Date(atMs).toISOString(),
              do: "use",
              meter: "calls",
              quantity: String(quantity),
            })),
          ],
          until: instant(130),
        });
        const ofPeriod = new Map<number, bigint>();
        for (const { atMs, quantity } of usages) {
          const startMs = periodAt(anchor, unit, new Date(atMs)).start.getTime();
          ofPeriod.set(startMs, (ofPeriod.get(startMs) ?? 0n) + BigInt(quantity));
        }
        const served = [...ofPeriod.values()].reduce(
          (total, used) => total + (used < limit ? used : limit),
          0n,
        );
        const lines = invoices.flatMap((invoice) => invoice.lines);
        const billed = lines.filter(({ kind }) => kind === "usage");
        expect(sum(billed, ({ quantity }) => quantity)).toBe(toScaled(String(served)));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("proration", () => {
  it("keeps a period at its price through any changes between plans of that price, to a cent for each change", () => {
    const changes = fc.array(fc.integer({ min: 1, max: 29 * 24 - 1 }), { maxLength: 8 });
    fc.assert(
      fc.property(cents, changes, (price, hours) => {
        const story = [...new Set(hours)]
          .sort((a, b) => a - b)
          .map((hour, place) => ({
            at: instant(hour / 24),
            do: "change",
            plan: place % 2 === 0 ? "b" : "a",
            when: "now",
          }));
        const { invoices, creditNotes } = play({
          currency: "USD",
          catalog: { plans: [planOf("a", price), planOf("b", price)] },
          story: [{ at: instant(0), do: "subscribe", plan: "a" }, ...story],
          until: instant(28.99),
        });
        const billed = sum(invoices, ({ total }) => total) - sum(creditNotes, ({ total }) => total);
        const apart = billed - toScaled(price);
        const most = toScaled("0.01") * BigInt(story.length);
        expect(apart <= most && -apart <= most).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("gives back by time or by quota, by the one that leaves less, to the cent", () => {
    fc.assert(
      fc.property(
        cents,
        fc.integer({ min: 1, max: 29 * 24 - 1 }),
        fc.integer({ min: 0, max: 1_200 }),
        (price, hour, used) => {
          const quota = {
            key: "calls",
            meter: "calls",
            entitlement: { kind: "soft", limit: "1000" },
          };
          const { creditNotes } = play({
            currency: "USD",
            catalog: { meters: [CALLS], plans: [planOf("a", price, [quota])] },
            story: [
              { at: instant(0), do: "subscribe", plan: "a" },
              ...(used === 0
                ? []
                : [{ at: instant(0.01), do: "use", meter: "calls", quantity: String(used) }]),
              {
                at: instant(hour / 24),
                do: "cancel",
                when: "now",
                proration: "largerOfTimeOrQuota",
              },
            ],
            until: instant(30),
          });
          // January 31 to February 29: 29 days.
          const byTime = { part: BigInt(29 * 24 - hour), of: BigInt(29 * 24) };
          const byQuota = { part: BigInt(Math.max(0, 1_000 - used)), of: 1_000n };
          const isByTime = byTime.part * byQuota.of <= byQuota.part * byTime.of;
          const { part, of } = isByTime ? byTime : byQuota;
          const minor = toScaled(price) / toScaled("0.01");
          const credit = (2n * minor * part + of) / (2n * of);
          expect(sum(creditNotes, ({ total }) => total)).toBe(credit * toScaled("0.01"));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("a discount", () => {
  it("of 100 % leaves nothing of any lines, taxes included", () => {
    fc.assert(
      fc.property(randomStory, (story) => {
        const [subscribe, ...rest] = story.story.filter((step) => step.do !== "coupon");
        const coupon = { at: instant(0), do: "coupon", percent: "100" };
        const { invoices } = play({ ...story, story: [coupon, subscribe, ...rest] });
        expect(invoices.filter(({ total }) => toScaled(total) !== 0n)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it("for some periods lowers the invoices of exactly so many, however many changes one has", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 30 }),
        fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 8 }),
        (periods, anchorDay, days) => {
          const changes = [...new Set(days)]
            .sort((a, b) => a - b)
            .map((day, place) => ({
              at: instant(anchorDay + day + 0.25),
              do: "seats",
              card: "base",
              quantity: String(2 + (place % 3)),
            }));
          const { invoices } = play({
            currency: "USD",
            catalog: { plans: [planOf("a", "31")] },
            story: [
              { at: instant(anchorDay), do: "coupon", percent: "10", periods },
              { at: instant(anchorDay), do: "subscribe", plan: "a" },
              ...changes,
            ],
            until: instant(anchorDay + 200),
          });
          const anchor = new Date(START_MS + anchorDay * DAY_MS);
          const end = period(anchor, "month", periods).start;
          for (const { issuedAt, lines } of invoices) {
            const isLowered = lines.some(({ kind }) => kind === "discount");
            expect(isLowered, issuedAt).toBe(new Date(issuedAt) < end);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("voiding an invoice", () => {
  it("gives back what it took: the balance, and grants unless they have expired", () => {
    fc.assert(
      fc.property(cents, cents, cents, cents, (price, promotional, prepaid, paid) => {
        const before: Step[] = [
          { at: instant(0), do: "grant", kind: "promotional", amount: promotional },
          { at: instant(0), do: "grant", kind: "prepaid", amount: prepaid },
        ];
        const story = (after: readonly Step[]) =>
          play({
            currency: "USD",
            catalog: { plans: [planOf("a", price)] },
            story: [
              ...before,
              { at: instant(0), do: "subscribe", plan: "a" },
              // Money beyond the first invoice is a balance that the second one takes.
              { at: instant(1), do: "pay", invoice: 0, amount: paid },
              ...after,
            ],
            until: instant(40),
          });
        const [first, second] = [story([]).invoices[0], story([]).invoices[1]];
        fc.pre(second !== undefined && toScaled(second.credited) === 0n);
        const at = instant(35);
        const kept = story([]);
        const undone = story([{ at, do: "void", invoice: 1 }]);
        fc.pre(undone.refused.length === 0);
        const [, gone] = undone.invoices;
        expect(gone?.status).toBe("void");
        expect(undone.invoices[0]?.total).toBe(first?.total);
        expect(toScaled(undone.balance) - toScaled(kept.balance)).toBe(
          toScaled(second?.fromBalance ?? "0"),
        );
        const burned = (of: PlayedStory) =>
          sum(of.credits, ({ granted }) => granted) - sum(of.credits, ({ balance }) => balance);
        const reductions = (second?.lines ?? []).filter(({ kind }) => kind === "promotional");
        expect(burned(kept) - burned(undone)).toBe(
          toScaled(second?.prepaid ?? "0") - sum(reductions, ({ amount }) => amount),
        );
      }),
      { numRuns: RUNS },
    );
  });
});

describe("events of payments", () => {
  it("count once each, however often and in any order they arrive", () => {
    const events = fc.array(fc.tuple(cents, fc.integer({ min: 1, max: 3 })), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(cents, events, fc.infiniteStream(fc.nat()), (price, list, chance) => {
        const delivered = list
          .flatMap(([amount, times], place) =>
            Array.from({ length: times }, () => ({ amount, key: `event-${String(place)}` })),
          )
          .map((event) => ({ event, order: Number(chance.next().value) }))
          .sort((a, b) => a.order - b.order)
          .map(({ event }) => ({ at: instant(1), do: "pay", invoice: 0, ...event }));
        const { invoices, balance } = play({
          currency: "USD",
          catalog: { plans: [planOf("a", price)] },
          story: [{ at: instant(0), do: "subscribe", plan: "a" }, ...delivered],
          until: instant(2),
        });
        const [invoice] = invoices;
        const received = sum(list, ([amount]) => amount);
        const owed = toScaled(price);
        expect(toScaled(invoice?.paid ?? "0")).toBe(received);
        expect(toScaled(invoice?.due ?? "0")).toBe(owed > received ? owed - received : 0n);
        expect(toScaled(balance)).toBe(received > owed ? received - owed : 0n);
      }),
      { numRuns: RUNS },
    );
  });
});
