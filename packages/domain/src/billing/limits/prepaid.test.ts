import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toScaled } from "../../money/decimal.ts";
import { createAccount } from "../account/account.ts";
import { advance } from "../lifecycle/advance.ts";
import { playStory } from "../rehearsal/play-story.ts";
import { readStory } from "../rehearsal/read-story.ts";
import type { StoryResult } from "../rehearsal/to-story-result.ts";
import { doStep } from "../steps/do-step.ts";
import { payableByCredit } from "./prepaid.ts";

const month = { interval: { month: 1 }, timing: "arrears" };
const PRICES = [
  { model: "per_unit", unitAmount: "0.033", included: "4" },
  { model: "package", amount: "0.99", size: "25" },
  {
    model: "volume",
    tiers: [
      { upTo: "60", unitAmount: "0.05" },
      { upTo: null, unitAmount: "0.02" },
    ],
  },
  {
    model: "graduated",
    tiers: [
      { upTo: "30", unitAmount: "0" },
      { upTo: null, unitAmount: "0.021", flatAmount: "0.4" },
    ],
  },
];
const METERS = ["a", "b", "c"];
const RATES = [
  { country: "DE", category: "S", rate: "19" },
  { country: "DE", class: "low", category: "AA", rate: "7" },
  // Rises within the period.
  { country: "DE", class: "rising", category: "S", rate: "16", name: "VAT", to: "2026-01-16" },
  { country: "DE", class: "rising", category: "S", rate: "19", name: "VAT", from: "2026-01-16" },
];

type Card = { price: number; taxClass: string };

/** A story of one month on a prepaid plan, and of what then is used. */
function storyOf(input: {
  cards: readonly Card[];
  pricesInclude: "net" | "gross" | undefined;
  fee: string | undefined;
  steps: readonly object[];
}) {
  const { cards, pricesInclude, fee, steps } = input;
  return {
    id: "prepaid",
    currency: "EUR",
    ...(pricesInclude && { seller: { country: "DE", taxRates: RATES, pricesInclude } }),
    customer: { country: "DE" },
    catalog: {
      meters: METERS.map((meterId) => ({
        ...{ meterId, name: meterId, unit: "unit", aggregation: "count" },
      })),
      plans: [
        {
          planId: "prepaid",
          name: "Prepaid",
          isPrepaid: true,
          phases: [
            {
              rateCards: [
                ...(fee === undefined
                  ? []
                  : [
                      {
                        key: "base",
                        price: { model: "flat", amount: fee },
                        interval: { month: 1 },
                        timing: "advance",
                      },
                    ]),
                ...cards.map(({ price, taxClass }, place) => ({
                  ...{ key: METERS[place], meter: METERS[place], ...month, taxClass },
                  price: PRICES[price],
                })),
              ],
            },
          ],
        },
      ],
    },
    story: [{ at: "2026-01-01T00:00:00Z", do: "subscribe", plan: "prepaid" }, ...steps],
    until: "2026-02-01T00:00:00Z",
  };
}

function invoicesOf(result: StoryResult) {
  if (!("invoices" in result)) {
    throw new Error(JSON.stringify(result));
  }
  return result.invoices;
}

const cents = (text: string) => toScaled(text) / toScaled("0.01");

const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("use"),
      meter: fc.constantFrom(...METERS),
      quantity: fc.integer({ min: 1, max: 120 }).map(String),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("grant"),
      kind: fc.constantFrom("prepaid", "promotional"),
      amount: fc.integer({ min: 1, max: 400 }).map((minor) => (minor / 100).toFixed(2)),
      priority: fc.integer({ min: 0, max: 100 }),
    }),
  },
);

const anyStory = fc.record({
  cards: fc.array(
    fc.record({
      price: fc.nat(PRICES.length - 1),
      taxClass: fc.constantFrom("standard", "standard", "low", "rising"),
    }),
    { minLength: METERS.length, maxLength: METERS.length },
  ),
  pricesInclude: fc.constantFrom("net" as const, "gross" as const, undefined),
  steps: fc.array(anyStep, { minLength: 1, maxLength: 12 }).map((steps) =>
    steps.map((step, place) => ({
      ...step,
      at: new Date(Date.UTC(2026, 0, 2, 12 * place)).toISOString(),
    })),
  ),
});

describe("guarantee: credit pays for all usage of a prepaid plan", () => {
  it("so that nothing is due for it, however it is used, granted and taxed", () => {
    fc.assert(
      fc.property(anyStory, (input) => {
        for (const invoice of invoicesOf(playStory(storyOf({ ...input, fee: undefined })))) {
          expect(invoice.due).toBe("0.00");
        }
      }),
      { numRuns: 400 },
    );
  });

  it("beside a fee, of which no part is paid by it", () => {
    fc.assert(
      fc.property(anyStory, (input) => {
        const invoices = invoicesOf(playStory(storyOf({ ...input, fee: "7.77" })));
        const first = invoices[0];
        expect([first?.prepaid, first?.due]).toEqual(["0.00", first?.total]);
        // Tax of a row is rounded once for fee and usage together.
        const fee = cents(first?.total ?? "0");
        for (const { due } of invoices) {
          expect([fee - 1n, fee, fee + 1n]).toContain(cents(due));
        }
      }),
      { numRuns: 100 },
    );
  });
});

const use = (quantity: number, at = "2026-01-10T00:00:00Z") => ({
  ...{ at, do: "use", meter: "a", quantity: String(quantity) },
});
const grant = (amount: string, more: object = {}) => ({
  ...{ at: "2026-01-02T00:00:00Z", do: "grant", kind: "prepaid", amount, ...more },
});
const perUnit = [{ price: 0, taxClass: "standard" }];

function play(steps: readonly object[], pricesInclude?: "net" | "gross") {
  return invoicesOf(playStory(storyOf({ cards: perUnit, pricesInclude, fee: undefined, steps })));
}

/** What 10.00 of paid credit, and 2.00 of promotional credit before it, pay for. */
function payable(seller: object, country: string) {
  const story = storyOf({ cards: perUnit, pricesInclude: undefined, fee: undefined, steps: [] });
  const read = readStory({ ...story, seller: { country: "DE", ...seller } });
  if ("faults" in read) {
    throw new Error(JSON.stringify(read.faults));
  }
  const { terms, customer } = read.story;
  const atMs = Date.UTC(2026, 0, 1);
  const members = [
    { do: "subscribe", plan: "prepaid" },
    { do: "grant", kind: "prepaid", amount: "10" },
    { do: "grant", kind: "promotional", amount: "2" },
  ];
  const account = members.reduce(
    (before, step) => doStep(before, { members: step, atMs }),
    createAccount(terms, { ...customer, country }),
  );
  return payableByCredit(advance(account, { fromMs: atMs, toMs: atMs }), atMs);
}

describe("tax of what credit pays for", () => {
  it("is none where the seller is not registered, as on the invoice", () => {
    expect(payable({ registered: false, taxRates: RATES }, "DE")).toBe(1200n);
  });

  it("is at the highest rates of any country while those of the customer's are missing: nothing is due once they are added", () => {
    const rates = [
      ...RATES,
      { country: "HU", category: "S", rate: "27" },
      // Two taxes of one country add up.
      { country: "PT", category: "S", rate: "20", name: "VAT" },
      { country: "PT", category: "S", rate: "5", name: "Levy" },
    ];
    // 7.87 with 27% are 9.99.
    expect(payable({ taxRates: rates }, "AT")).toBe(200n + 787n);
    const added = [...rates, { country: "AT", category: "S", rate: "20" }];
    expect(payable({ taxRates: added }, "AT")).toBe(200n + 833n);
  });

  it("may be any without a table: only promotional credit pays, which goes before tax", () => {
    expect(payable({ taxRates: [] }, "DE")).toBe(200n);
  });
});

describe("a prepaid plan", () => {
  it("lets through as many units as credit pays for with their tax, and the rest is not charged", () => {
    // 4 units are included; 26 of 0.033 are 0.86, with 19% 1.02; one more would be 1.06.
    const [invoice] = play([grant("1.03"), use(100)], "net");
    expect(invoice).toMatchObject({ net: "0.86", total: "1.02", prepaid: "1.02", due: "0.00" });
    expect(invoice?.lines.map(({ kind, quantity }) => [kind, quantity])).toEqual([
      ["usage", "30"],
      ["beyondCap", "70"],
    ]);
  });

  it("draws on credit until its period ends, also when that expires before", () => {
    const expiring = grant("1", { expiresAt: "2026-01-20T00:00:00Z" });
    const [invoice] = play([expiring, use(20), use(10, "2026-01-25T00:00:00Z")]);
    expect(invoice).toMatchObject({ total: "0.86", prepaid: "0.86", due: "0.00" });
  });

  it.each(["2026-01-12T00:00:00Z", "2026-01-20T00:00:00Z"])(
    "draws on it also when another plan begins before that is invoiced: %s",
    (expiresAt) => {
      const story = storyOf({
        ...{ cards: perUnit, pricesInclude: undefined, fee: undefined },
        steps: [
          grant("1", { expiresAt }),
          use(20),
          { at: "2026-01-15T00:00:00Z", do: "change", plan: "other", when: "now" },
          grant("0.01", { at: "2026-01-25T00:00:00Z" }),
        ],
      });
      const [prepaid] = story.catalog.plans;
      const other = { ...prepaid, planId: "other", isPrepaid: false };
      const plans = [...story.catalog.plans, other];
      const catalog = { ...story.catalog, plans };
      const [invoice] = invoicesOf(playStory({ ...story, catalog, proration: "nextPeriod" }));
      expect(invoice).toMatchObject({ net: "0.53", prepaid: "0.53", due: "0.00" });
    },
  );

  it("charges no late usage beyond what credit has left", () => {
    const late = { ...use(50), recordedAt: "2026-02-10T00:00:00Z" };
    const story = storyOf({
      ...{ cards: perUnit, pricesInclude: undefined, fee: undefined },
      steps: [grant("1"), use(20), late],
    });
    const invoices = invoicesOf(playStory({ ...story, until: "2026-03-01T00:00:00Z" }));
    expect(invoices.map(({ total, prepaid, due }) => [total, prepaid, due])).toEqual([
      ["0.53", "0.53", "0.00"],
      ["0.47", "0.47", "0.00"],
    ]);
  });
});
