import { describe, expect, it } from "vitest";
import type { MeterDefinition } from "../../catalog/meter.ts";
import type { PlanTerms } from "../../catalog/plan.ts";
import type { PlanPhaseTerms, PriceTerms, RateCardTerms } from "../../catalog/plan-phase.ts";
import { findPlanFaults } from "./find-plan-faults.ts";

function meterOf(meterId: string, meter: Partial<MeterDefinition> = {}): MeterDefinition {
  return { meterId, name: meterId, unit: "unit", aggregation: "count", ...meter };
}

const METERS = [
  meterOf("calls"),
  meterOf("spent", { aggregation: "sum", valuePointer: "/n", eventType: "sold" }),
  meterOf("bounded", { aggregation: "sum", valuePointer: "/n", eventType: "s", valueMax: "10" }),
  meterOf("people", { aggregation: "unique_count", valuePointer: "/u", eventType: "seen" }),
];

function faultsOf(phases: PlanPhaseTerms[], more: Partial<PlanTerms> = {}): string[] {
  const terms = {
    name: "Plan",
    description: "",
    currency: "EUR",
    pricePerMonth: "0",
    visibility: "public",
    rateLimits: [],
    quotas: [],
    phases,
    ...more,
  } as const;
  return findPlanFaults({ planId: "plan", terms, meters: METERS }).map(
    ({ code, pointer }) => `${code} ${pointer}`,
  );
}

function usage(price: PriceTerms, card: Partial<RateCardTerms> = {}): RateCardTerms {
  return { key: "calls", meter: "calls", interval: { month: 1 }, price, ...card };
}

const PER_CALL: PriceTerms = { model: "per_unit", unitAmount: "0.002" };
const hard = { kind: "hard", limit: "100" } as const;
const of = (...rateCards: RateCardTerms[]): PlanPhaseTerms[] => [{ rateCards }];
const AT = "/phases/0/rateCards/0";

function findPrepaid(phases: PlanPhaseTerms[], more: Partial<PlanTerms> = {}): string[] {
  return faultsOf(phases, { isPrepaid: true, ...more });
}

describe("findPlanFaults", () => {
  it("finds what keeps usage of a prepaid plan from drawing on credit", () => {
    expect(findPrepaid(of(usage(PER_CALL)))).toEqual([]);
    expect(findPrepaid(of(usage(PER_CALL, { meter: "bounded" })))).toEqual([]);
    expect(findPrepaid([{ rateCards: [] }])).toEqual(["bad_value /isPrepaid"]);
    expect(findPrepaid(of(usage(PER_CALL)), { isAddOn: true })).toEqual(["bad_value /isPrepaid"]);
    expect(findPrepaid(of(usage(PER_CALL, { meter: "spent" })))).toEqual([
      `no_worst_margin ${AT}/meter`,
    ]);
    const minimums = [{ minimum: "5", rateCards: [usage({ ...PER_CALL, minimum: "1" })] }];
    expect(findPrepaid(minimums)).toEqual([
      "bad_value /phases/0/minimum",
      `bad_value ${AT}/price/minimum`,
    ]);
  });

  it.each<[string, PlanPhaseTerms[], string[]]>([
    ["nothing in a plan that works", of(usage(PER_CALL, { entitlement: hard })), []],
    ["no phase", [], ["bad_value /phases"]],
    [
      "a last phase that ends",
      [{ duration: { days: 3 }, rateCards: [] }],
      ["phase_duration /phases/0/duration"],
    ],
    [
      "a first phase that does not end",
      [{ rateCards: [] }, { rateCards: [] }],
      ["phase_duration /phases/0/duration"],
    ],
    [
      "tiers that do not rise",
      of(usage({ model: "graduated", tiers: [{ upTo: "5" }, { upTo: "5" }, { upTo: null }] })),
      [`tiers_order ${AT}/price/tiers/1/upTo`],
    ],
    [
      "tiers that do not end open",
      of(usage({ model: "volume", tiers: [{ upTo: "5" }] })),
      [`tiers_open ${AT}/price/tiers/0/upTo`],
    ],
    [
      "a hard cap on a price without a worst margin",
      of(usage(PER_CALL, { meter: "spent", entitlement: hard })),
      [`no_worst_margin ${AT}/entitlement`],
    ],
    [
      "none on one whose events have a highest value",
      of(usage(PER_CALL, { meter: "bounded", entitlement: hard })),
      [],
    ],
    [
      "a percentage of a meter that counts",
      of(usage({ model: "percentage", rate: "2" })),
      [`percentage_needs_sum ${AT}/price/model`],
    ],
    [
      "a percentage with a minimum for each event",
      of(
        usage(
          Object.assign({ minimumPerEvent: "0.1" }, { model: "percentage" as const, rate: "2" }),
          {
            meter: "spent",
          },
        ),
      ),
      [`unknown_member ${AT}/price/minimumPerEvent`],
    ],
    [
      "a price of what cannot be added up",
      of(usage(PER_CALL, { meter: "people" })),
      [`meter_not_additive ${AT}/price`],
    ],
    [
      "a limit of what cannot be added up",
      of({ key: "seen", meter: "people", entitlement: hard }),
      [`meter_not_additive ${AT}/meter`],
    ],
    [
      "a meter that is not there",
      of(usage(PER_CALL, { meter: "x" })),
      [`unknown_meter ${AT}/meter`],
    ],
    [
      "a limit without a meter",
      of({ key: "calls", entitlement: hard }),
      [`needs_meter ${AT}/entitlement/kind`],
    ],
    [
      "a limit of half a unit",
      of({ key: "calls", meter: "calls", entitlement: { kind: "hard", limit: "1.5" } }),
      [`not_whole ${AT}/entitlement/limit`],
    ],
    [
      "a limit beyond what calls count to",
      of({
        key: "calls",
        meter: "calls",
        entitlement: { kind: "soft", limit: "9007199254740992" },
      }),
      [`not_whole ${AT}/entitlement/limit`],
    ],
    [
      "two limits of one meter",
      of(usage(PER_CALL, { entitlement: hard }), {
        ...usage(PER_CALL, { entitlement: hard }),
        key: "more",
      }),
      ["several_quotas /phases/0/rateCards/1/entitlement"],
    ],
    [
      "quotas of one phase by two clocks",
      of(usage(PER_CALL, { entitlement: hard }), {
        key: "bounded",
        meter: "bounded",
        entitlement: { kind: "soft", limit: "5", refill: { day: 1 } },
      }),
      ["several_refills /phases/0/rateCards/1/entitlement/refill"],
    ],
    [
      "usage in advance",
      of(usage(PER_CALL, { timing: "advance" })),
      [`usage_in_advance ${AT}/timing`],
    ],
    [
      "a price with thirteen decimals",
      of(usage({ model: "per_unit", unitAmount: "0.0000000000001" })),
      [`too_precise ${AT}/price/unitAmount`],
    ],
    [
      "two intervals at once",
      of(usage(PER_CALL, { interval: { month: 1, day: 1 } })),
      [`bad_interval ${AT}/interval`],
    ],
    [
      "a minimum above the maximum",
      of(usage({ ...PER_CALL, minimum: "5", maximum: "4" })),
      [`minimum_over_maximum ${AT}/price/minimum`],
    ],
    ["one key twice", of({ key: "a" }, { key: "a" }), ["twice /phases/0/rateCards/1/key"]],
    [
      "a fee that does not say when",
      of({ key: "fee", price: { model: "flat", amount: "5" }, interval: { month: 1 } }),
      [`bad_value ${AT}/timing`],
    ],
  ])("finds %s", (_what, phases, faults) => {
    expect(faultsOf(phases)).toEqual(faults);
  });
});
