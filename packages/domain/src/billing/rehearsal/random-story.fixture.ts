import fc from "fast-check";

/** Stories of random customers: catalogues that work, and steps that may be refused. */

const decimal = (max: number, digits: number) =>
  fc
    .integer({ min: 0, max: max * 10 ** digits })
    .map((value) => (value / 10 ** digits).toFixed(digits));
const price = fc.oneof(decimal(200, 2), decimal(9, 4), fc.constantFrom("0", "9.99", "0.005"));
const intervals = fc.constantFrom(
  { day: 10 },
  { week: 1 },
  { month: 1 },
  { month: 1 },
  { month: 1 },
  { quarter: 1 },
  { year: 1 },
);

const tiers = fc
  .tuple(
    price,
    price,
    price,
    price,
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: 1, max: 50 }),
  )
  .map(([a, b, c, flatAmount, first, width]) => [
    { upTo: String(first), unitAmount: a, flatAmount },
    { upTo: String(first + width), unitAmount: b },
    { upTo: null, unitAmount: c, flatAmount },
  ]);

const seatPrice = fc.oneof(
  { weight: 3, arbitrary: price.map((amount) => ({ model: "flat", amount })) },
  price.map((unitAmount) => ({ model: "per_unit", unitAmount })),
  tiers.map((of) => ({ model: "volume", tiers: of })),
);
const bounds = fc.record(
  {
    included: decimal(20, 0),
    minimum: decimal(50, 2),
    maximum: fc.integer({ min: 50, max: 300 }).map(String),
  },
  { requiredKeys: [] },
);
const usagePrice = fc
  .tuple(
    fc.oneof(
      price.map((unitAmount) => ({ model: "per_unit", unitAmount })),
      tiers.map((of) => ({ model: "graduated", tiers: of })),
      tiers.map((of) => ({ model: "volume", tiers: of })),
      price.map((amount) => ({ model: "package", amount, size: "10" })),
    ),
    bounds,
  )
  .map(([model, by]) => ({ ...model, ...by }));

const fee = fc.record({
  key: fc.constantFrom("base", "seats", "support"),
  price: seatPrice,
  interval: intervals,
  timing: fc.constantFrom("advance", "advance", "arrears"),
  quantity: fc.constantFrom("1", "2", "0", "2.5"),
});
const usage = fc.record(
  {
    key: fc.constantFrom("calls", "tokens"),
    meter: fc.constantFrom("calls", "tokens"),
    price: usagePrice,
    interval: intervals,
    timing: fc.constant("arrears"),
    entitlement: fc.record({
      kind: fc.constantFrom("hard", "soft"),
      limit: fc.constantFrom("30", "100"),
      refill: intervals,
    }),
  },
  { requiredKeys: ["key", "meter", "price", "interval", "timing"] },
);
const cards = fc.uniqueArray(fc.oneof(fee, usage), { maxLength: 4, selector: ({ key }) => key });
const paidPhase = fc.record(
  { rateCards: cards, minimum: decimal(200, 2) },
  { requiredKeys: ["rateCards"] },
);
const duration = fc.constantFrom({ days: 14 }, { months: 1 }, { weeks: 5 }, { months: 2 });
const trial = duration.map((of) => ({ duration: of, rateCards: [] }));
const intro = fc.tuple(paidPhase, duration).map(([phase, of]) => ({ ...phase, duration: of }));
const phases = fc.oneof(
  { weight: 3, arbitrary: paidPhase.map((last) => [last]) },
  fc.tuple(trial, paidPhase).map((both) => [...both]),
  fc.tuple(intro, paidPhase).map((both) => [...both]),
  fc.tuple(trial, intro, paidPhase).map((all) => [...all]),
);

const PLANS = ["a", "b", "c", "x"];
const DAY_MS = 24 * 60 * 60 * 1000;
const START_MS = Date.UTC(2024, 0, 31);
const when = fc.constantFrom("now", "period_end");
const proration = fc.constantFrom("time", "largerOfTimeOrQuota", "nextPeriod", "none");
const plan = fc.constantFrom(...PLANS);
const meter = fc.constantFrom("calls", "tokens");

const anyStep = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("subscribe"), plan }) },
  {
    weight: 4,
    arbitrary: fc.record(
      { do: fc.constant("change"), plan, when, proration },
      { requiredKeys: ["do", "plan"] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        do: fc.constant("seats"),
        card: fc.constantFrom("base", "seats"),
        quantity: fc.constantFrom("0", "1", "3", "7"),
        proration,
      },
      { requiredKeys: ["do", "card", "quantity"] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { do: fc.constant("addOn"), plan: fc.constant("x"), proration },
      { requiredKeys: ["do", "plan"] },
    ),
  },
  fc.record(
    { do: fc.constant("cancel"), when, proration, plan: fc.constant("x") },
    { requiredKeys: ["do"] },
  ),
  fc.record({ do: fc.constantFrom("uncancel", "resume") }),
  fc.record({ do: fc.constant("pause"), when }),
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("use"),
      meter,
      quantity: fc.constantFrom("1", "5", "12.5", "40"),
    }),
  },
  fc.record(
    {
      do: fc.constant("coupon"),
      percent: fc.constantFrom("10", "33.3", "100"),
      periods: fc.constantFrom(1, 3),
      cards: fc.constant(["base", "calls"]),
    },
    { requiredKeys: ["do", "percent"] },
  ),
  fc.record(
    {
      do: fc.constant("coupon"),
      amount: price,
      periods: fc.constantFrom(1, 3),
      cards: fc.constant(["base", "calls"]),
    },
    { requiredKeys: ["do", "amount"] },
  ),
  fc.record({
    do: fc.constant("grant"),
    kind: fc.constantFrom("promotional", "prepaid"),
    amount: price,
  }),
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("pay"), amount: price }, { requiredKeys: ["do"] }),
  },
  fc.record({ do: fc.constant("paymentFails") }),
  fc.record(
    { do: fc.constant("creditNote"), invoice: fc.nat(5), amount: price },
    { requiredKeys: ["do", "invoice"] },
  ),
  fc.record({ do: fc.constant("void"), invoice: fc.nat(5) }),
  fc.record({ do: fc.constant("cap"), amount: decimal(300, 2) }),
  fc.record({
    do: fc.constant("taxId"),
    value: fc.constant("FR40303265045"),
    status: fc.constantFrom("confirmed", "invalid", "unreachable"),
  }),
);

/** Steps at rising instants, often several at one; usage may be recorded later than it happened. */
const steps = fc
  .array(
    fc.tuple(anyStep, fc.constantFrom(0, 0, 1, 3, 9, 17, 30), fc.constantFrom(0, 0, 0, 1, 20, 45)),
    {
      minLength: 1,
      maxLength: 25,
    },
  )
  .map((list) => {
    let nowMs = START_MS;
    return list.map(([step, days, lateDays], index) => {
      nowMs += index === 0 ? 0 : days * DAY_MS;
      const at = new Date(nowMs).toISOString();
      if (step.do !== "use" || lateDays === 0) {
        return { at, ...step };
      }
      return { at: new Date(nowMs - lateDays * DAY_MS).toISOString(), recordedAt: at, ...step };
    });
  });

const taxRates = [
  { country: "DE", category: "S", rate: "19", to: "2024-05-01" },
  { country: "DE", category: "S", rate: "16", from: "2024-05-01" },
  { country: "FR", category: "S", rate: "20" },
  { country: "FR", category: "S", rate: "1.5", name: "local" },
];
const seller = fc.constantFrom(
  undefined,
  { country: "DE", taxRates },
  { country: "DE", taxRates, pricesInclude: "gross" },
);

export const randomStory = fc
  .record({
    phases: fc.tuple(phases, phases, phases, phases),
    seller,
    customer: fc.constantFrom({}, { country: "FR" }, { country: "US" }),
    currency: fc.constantFrom("USD", "JPY", "KWD"),
    proration,
    steps,
    anchor: fc.constantFrom(undefined, "2024-01-01", "2024-02-15"),
  })
  .map(({ phases: of, steps: list, anchor, ...story }) => ({
    id: "random",
    ...story,
    catalog: {
      meters: [
        { meterId: "calls", aggregation: "count" },
        { meterId: "tokens", aggregation: "sum", valueMax: "100" },
      ],
      plans: PLANS.map((planId, index) => ({ planId, phases: of[index] })),
    },
    story: [{ at: new Date(START_MS).toISOString(), do: "subscribe", plan: "a", anchor }, ...list],
    until: new Date(START_MS + 300 * DAY_MS).toISOString(),
  }));
