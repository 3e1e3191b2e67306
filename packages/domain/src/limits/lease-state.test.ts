import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countWaits,
  decideSpend,
  type HeldUnits,
  type LeaseAnswer,
  type LeaseEvent,
  type LeaseState,
  leaseStatus,
  needsOthers,
  reduceLease,
  UNKNOWN_LEASE,
  unitsLeft,
} from "./lease-state.ts";

const ANSWER: LeaseAnswer = {
  granted: 20,
  left: 80,
  heldElsewhere: 0,
  isShort: false,
  isReported: false,
};
const LEASE: HeldUnits = { remaining: 20, filledTo: 20, deadlineMs: 60_000, isInDoubt: false };

function answered(
  more: Partial<LeaseAnswer>,
  event: Partial<Extract<LeaseEvent, { type: "answered" }>> = {},
) {
  return {
    type: "answered",
    answer: { ...ANSWER, ...more },
    lease: undefined,
    isSameLease: false,
    waits: new Map(),
    nowMs: 1_000,
    ...event,
  } as const;
}

function after(...events: LeaseEvent[]): LeaseState {
  return events.reduce((state, event) => reduceLease(state, event).state, UNKNOWN_LEASE);
}

describe("the state of a lease", () => {
  it.each<[string, LeaseEvent[], string]>([
    ["unknown before the first answer", [{ type: "asked" }], "unknown"],
    ["unknown after a failure", [{ type: "failed", nowMs: 0 }], "unknown"],
    ["holding after units were granted", [answered({})], "holding"],
    ["exhausted when nothing was left", [answered({ granted: 0, left: 0 })], "exhausted"],
    [
      "holding when others hold what is left, who were not asked",
      [answered({ granted: 0, left: 0, heldElsewhere: 5 })],
      "holding",
    ],
    [
      "reported when events report usage past the lease",
      [answered({ isReported: true })],
      "reported",
    ],
    [
      "in doubt when units went back while the database was asked",
      [answered({}), { type: "changed_elsewhere", quantity: 5, sinceMs: 2_000, isAsking: true }],
      "in_doubt",
    ],
    [
      "in doubt when units went back from before the answer",
      [answered({}), { type: "changed_elsewhere", quantity: 5, sinceMs: 900, isAsking: false }],
      "in_doubt",
    ],
    [
      "no longer exhausted when units went back",
      [
        answered({ granted: 0, left: 0 }),
        { type: "changed_elsewhere", quantity: 5, sinceMs: 1_500, isAsking: false },
      ],
      "holding",
    ],
  ])("is %s", (_what, events, status) => {
    expect(leaseStatus(after(...events), 1_100)).toBe(status);
  });

  it("is exhausted for a second, then the database is asked again", () => {
    const state = after(answered({ granted: 0, left: 0 }));
    expect(decideSpend(state, undefined, { quantity: 1, nowMs: 1_999 })).toBe("refuse");
    expect(decideSpend(state, undefined, { quantity: 1, nowMs: 2_000 })).toBe("ask");
  });
});

describe("a call", () => {
  it.each<[string, LeaseState, HeldUnits | undefined, number, string]>([
    ["asks before the first answer", UNKNOWN_LEASE, undefined, 1, "ask"],
    ["spends what is held", after(answered({})), LEASE, 1, "spend"],
    [
      "asks for more once half is spent",
      after(answered({})),
      { ...LEASE, remaining: 10 },
      1,
      "spend_and_ask",
    ],
    ["asks when the lease holds too little", after(answered({})), LEASE, 21, "ask"],
    ["asks past the deadline", after(answered({})), { ...LEASE, deadlineMs: 1_100 }, 1, "ask"],
    [
      "asks in the background to learn what is in doubt",
      after(answered({}), { type: "changed_elsewhere", quantity: 1, sinceMs: 0, isAsking: false }),
      LEASE,
      1,
      "spend_and_ask",
    ],
    [
      "is refused when it wants more than there is",
      after(answered({ isShort: true, left: 5 }, { waits: new Map([[30, 1]]) })),
      LEASE,
      30,
      "refuse",
    ],
    [
      "is refused for now when others hold enough and were asked",
      after(
        answered(
          { granted: 0, left: 0, heldElsewhere: 50, isShort: true },
          { waits: new Map([[30, 1]]) },
        ),
        { type: "others_asked" },
      ),
      undefined,
      30,
      "refuse_for_now",
    ],
    [
      "leaves a database alone that has just failed",
      after(answered({}), { type: "failed", nowMs: 1_050 }),
      { ...LEASE, remaining: 5 },
      1,
      "spend",
    ],
  ])("%s", (_what, state, lease, quantity, decision) => {
    expect(decideSpend(state, lease, { quantity, nowMs: 1_100 })).toBe(decision);
  });

  it("asks first when the last answer about a reported balance is too old, unless the database fails", () => {
    const state = after(answered({ isReported: true }));
    expect(decideSpend(state, LEASE, { quantity: 1, nowMs: 1_200 })).toBe("spend");
    expect(decideSpend(state, LEASE, { quantity: 1, nowMs: 1_400 })).toBe("spend_and_ask");
    expect(decideSpend(state, LEASE, { quantity: 1, nowMs: 1_801 })).toBe("ask");
    const failed = reduceLease(state, { type: "failed", nowMs: 1_801 }).state;
    expect(decideSpend(failed, LEASE, { quantity: 1, nowMs: 1_802 })).toBe("spend");
  });

  it("never spends more than the lease holds, in any state", () => {
    const number = fc.integer({ min: 0, max: 100 });
    const event: fc.Arbitrary<LeaseEvent> = fc.oneof(
      fc.record({ type: fc.constant("asked" as const) }),
      fc.record({ type: fc.constant("failed" as const), nowMs: number }),
      fc.record({ type: fc.constant("others_asked" as const) }),
      fc.record({
        type: fc.constant("changed_elsewhere" as const),
        quantity: fc.integer({ min: -50, max: 50 }),
        sinceMs: number,
        isAsking: fc.boolean(),
      }),
      fc
        .record({
          granted: number,
          left: number,
          heldElsewhere: number,
          isShort: fc.boolean(),
          isReported: fc.boolean(),
        })
        .map((answer) => answered(answer, { nowMs: answer.left })),
    );
    fc.assert(
      fc.property(fc.array(event), number, number, number, (events, remaining, quantity, nowMs) => {
        const state = after(...events);
        const decision = decideSpend(state, { ...LEASE, remaining }, { quantity, nowMs });
        expect(decision.startsWith("spend") && quantity > remaining).toBe(false);
        expect(state.left).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("an answer", () => {
  it.each<[string, LeaseEvent, string]>([
    ["holds what was granted", answered({}), "hold"],
    [
      "holds the lease that it prolonged",
      answered({ granted: 0 }, { lease: LEASE, isSameLease: true }),
      "hold",
    ],
    [
      "drops a lease without units",
      answered({ granted: 0 }, { lease: { ...LEASE, remaining: 0 } }),
      "drop",
    ],
    ["keeps a lease with units", answered({ granted: 0 }, { lease: LEASE }), "keep"],
    [
      "drops a lease in doubt that callers need",
      answered({ granted: 0, isShort: true }, { lease: { ...LEASE, isInDoubt: true } }),
      "drop",
    ],
  ])("%s", (_what, event, effect) => {
    expect(reduceLease(UNKNOWN_LEASE, event).effect).toBe(effect);
  });

  it("asks others only for callers whom their units would help", () => {
    const waits = new Map([[30, 1]]);
    const of = (heldElsewhere: number) =>
      needsOthers(
        after(answered({ granted: 0, left: 0, heldElsewhere, isShort: true }, { waits })),
        undefined,
        waits,
      );
    expect([of(0), of(29), of(30)]).toEqual([false, false, true]);
  });
});

describe("units left", () => {
  it("are unknown at first, then what is held here, left, and held by others until they have used it", () => {
    expect(unitsLeft(UNKNOWN_LEASE, undefined, 0)).toBeUndefined();
    const waits = new Map([[30, 1]]);
    const state = after(answered({ left: 3, heldElsewhere: 50, isShort: true }, { waits }));
    expect(unitsLeft(state, LEASE, 1_100)).toBe(73);
    const asked = reduceLease(state, { type: "others_asked" }).state;
    expect(unitsLeft(asked, LEASE, 1_100)).toBe(23);
  });

  it("are counted for callers who fit, beside those who want too much", () => {
    const waits = new Map([
      [600, 1],
      [200, 2],
      [1_200, 1],
    ]);
    expect(countWaits(waits, 100, 1_000)).toEqual({ units: 900, isTooMuch: true });
  });
});
