import { shouldRefill } from "./lease.ts";

/**
 * What one process knows of a balance under one limit, as a pure state machine. The process that holds the lease feeds it
 * events and carries out its effects; see {@link reduceLease}.
 *
 * - `unknown`: the database has not answered yet.
 * - `holding`: the last answer counts. Units may be held here, be left, or be held by other processes.
 * - `exhausted`: the last answer left nothing; the database is not asked again for a second.
 * - `in_doubt`: units went back or were taken around the time of the last answer, so it may not count them.
 * - `reported`: events report usage to the balance without a lease, so an answer is out of date within a second.
 */
export type LeaseStatus = "unknown" | "holding" | "exhausted" | "in_doubt" | "reported";

/** All instants are monotonic milliseconds of the process, all quantities units of the meter. */
export type LeaseState = {
  readonly isAnswered: boolean;
  readonly answeredAtMs: number;
  /** Units that no lease held at the last answer. */
  readonly left: number;
  /** Units that other leases held at the last answer. */
  readonly heldElsewhere: number;
  readonly isReported: boolean;
  readonly isInDoubt: boolean;
  /** True when callers waited for more than the last answer granted. */
  readonly isShort: boolean;
  /** What a refusal says of the limit in money, when that left less than the limit did. */
  readonly spend: SpendNotice | undefined;
  /** True once other processes were asked for what fell short. */
  readonly hasAskedOthers: boolean;
  /** Until when a call is refused without asking again. */
  readonly exhaustedUntilMs: number;
  /** Until when a call that wants more than there was is refused without asking again. */
  readonly shortUntilMs: number;
  /** Until when nothing is asked for in advance: the last units are for callers who need them. */
  readonly noLookaheadUntilMs: number;
  /** Until when a database that failed is left alone; undefined after an answer. */
  readonly failedUntilMs: number | undefined;
};

/** Units that the process may spend without asking. */
export type HeldUnits = {
  readonly remaining: number;
  /** What was held after the last answer. */
  readonly filledTo: number;
  /** They may be spent until then. */
  readonly deadlineMs: number;
  /** True when an answer was lost, so the database may count more for the lease than is known here. */
  readonly isInDoubt: boolean;
};

/** How many callers wait for how many units each. */
export type LeaseWaits = ReadonlyMap<number, number>;

/** What callers wait for when units are granted. */
export type WantedUnits = {
  /** Units for the callers whose call fits, 0 or more. Nothing is held for a call that cannot fit. */
  units: number;
  /** True when some caller wants more than there is. */
  isTooMuch: boolean;
};

/** What a limit in money says when it refuses, in decimals of the currency: the spend cap, or the credit of a prepaid plan. */
export type SpendNotice =
  | { of: "cap"; used: string; cap: string; currency: string }
  | { of: "credit"; left: string; currency: string };

/** What the database answered. */
export type LeaseAnswer = {
  /** Units added, 0 or more; negative when reported usage has taken some of what the lease held. */
  granted: number;
  /** Units that no one holds or has used after this answer. */
  left: number;
  /** Units that other active leases hold within the limit: they come back unless they are spent. */
  heldElsewhere: number;
  /** True when callers wait for more than was granted. */
  isShort: boolean;
  /** True for a balance to which events report usage without a lease. */
  isReported: boolean;
  /** Set when a limit in money leaves less than the limit does. */
  spend?: SpendNotice | undefined;
};

export type LeaseEvent =
  | { type: "asked" }
  | {
      type: "answered";
      answer: LeaseAnswer;
      lease: HeldUnits | undefined;
      /** True when the answer added to the lease that is held. */
      isSameLease: boolean;
      waits: LeaseWaits;
      nowMs: number;
    }
  | { type: "failed"; nowMs: number }
  | { type: "others_asked" }
  | {
      /** Units went back, or with a negative quantity were taken, without this lease. */
      type: "changed_elsewhere";
      quantity: number;
      /** When the change began: an answer from then on may or may not count it. */
      sinceMs: number;
      isAsking: boolean;
    };

/**
 * What the holder must do with its lease: `hold` what was granted, give it back and hold none (`drop`), or leave it as it is
 * (`keep`).
 */
export type LeaseEffect = "hold" | "drop" | "keep";

export type LeaseTransition = { state: LeaseState; effect: LeaseEffect };

/**
 * What to do with a call: `spend` from the lease; `spend_and_ask`, the same and ask for more in the background; `ask` first;
 * `refuse`; or `refuse_for_now`, because other processes hold enough and were asked to give it back.
 */
export type SpendDecision = "spend" | "spend_and_ask" | "ask" | "refuse" | "refuse_for_now";

/** After the database said that nothing is left, it is asked again this much later: others may have given back. */
const EXHAUSTED_FOR_MS = 1_000;
/** After a failure the database is left alone for this long, so that an outage does not turn every call into an attempt. */
const FAILED_FOR_MS = 500;
/**
 * The oldest answer that counts for a reported balance, while the database answers. Together with the time of the question,
 * every process learns within a second that events have used up a quota.
 */
const REPORTED_MS_MAX = 800;
/** A reported balance is asked about in the background from this age on, so that frequent callers never wait. */
const REPORTED_RENEW_MS = 300;
/** A lease is prolonged in the background when less than this is left until its deadline. */
const RENEW_BEFORE_MS = 20_000;

/** The state before the first question. */
export const UNKNOWN_LEASE: LeaseState = {
  isAnswered: false,
  answeredAtMs: Number.NEGATIVE_INFINITY,
  left: 0,
  heldElsewhere: 0,
  isReported: false,
  isInDoubt: false,
  isShort: false,
  spend: undefined,
  hasAskedOthers: false,
  exhaustedUntilMs: 0,
  shortUntilMs: 0,
  noLookaheadUntilMs: 0,
  failedUntilMs: undefined,
};

/** Names a state. */
export function leaseStatus(state: LeaseState, nowMs: number): LeaseStatus {
  if (!state.isAnswered) {
    return "unknown";
  }
  if (state.isInDoubt) {
    return "in_doubt";
  }
  if (nowMs < state.exhaustedUntilMs) {
    return "exhausted";
  }
  return state.isReported ? "reported" : "holding";
}

/** Units of a lease that may be spent now. */
export function spendableUnits(lease: HeldUnits | undefined, nowMs: number): number {
  return lease !== undefined && nowMs < lease.deadlineMs ? lease.remaining : 0;
}

/** True when other processes hold enough for a call, together with what is held here and what is left. */
function mayComeBack(state: LeaseState, held: number, quantity: number): boolean {
  return state.heldElsewhere > 0 && held + state.left + state.heldElsewhere >= quantity;
}

/** True when a caller waits for units that other processes could give back. A wait for 0 units only asks. */
function isAwaited(state: LeaseState, held: number, waits: LeaseWaits): boolean {
  for (const quantity of waits.keys()) {
    if (quantity > 0 && mayComeBack(state, held, quantity)) {
      return true;
    }
  }
  return false;
}

/** True when callers fell short and units of other leases would help them. */
export function needsOthers(
  state: LeaseState,
  lease: HeldUnits | undefined,
  waits: LeaseWaits,
): boolean {
  return state.isShort && isAwaited(state, lease?.remaining ?? 0, waits);
}

/** True when the last answer left less than a call wants, with what is held here. */
function isKnownShort(
  state: LeaseState,
  lease: HeldUnits | undefined,
  { quantity, nowMs }: { quantity: number; nowMs: number },
): boolean {
  return (
    nowMs < state.shortUntilMs &&
    !state.isInDoubt &&
    quantity > state.left + spendableUnits(lease, nowMs) &&
    (state.hasAskedOthers || !mayComeBack(state, lease?.remaining ?? 0, quantity))
  );
}

/** Decides one call from memory. Changes nothing. */
export function decideSpend(
  state: LeaseState,
  lease: HeldUnits | undefined,
  call: { quantity: number; nowMs: number },
): SpendDecision {
  const { quantity, nowMs } = call;
  if (lease === undefined || nowMs >= lease.deadlineMs || lease.remaining < quantity) {
    if (nowMs >= state.exhaustedUntilMs && !isKnownShort(state, lease, call)) {
      return "ask";
    }
    return mayComeBack(state, lease?.remaining ?? 0, quantity) ? "refuse_for_now" : "refuse";
  }
  // While the database fails, its last answer counts for as long as the lease.
  const ageMs =
    state.isReported && state.failedUntilMs === undefined ? nowMs - state.answeredAtMs : 0;
  if (ageMs > REPORTED_MS_MAX) {
    return "ask";
  }
  const runsLow =
    state.isInDoubt ||
    ageMs > REPORTED_RENEW_MS ||
    shouldRefill(lease.remaining - quantity, lease.filledTo) ||
    lease.deadlineMs - nowMs < RENEW_BEFORE_MS;
  const mayAsk =
    (state.isReported || nowMs >= state.exhaustedUntilMs) &&
    nowMs >= state.noLookaheadUntilMs &&
    nowMs >= (state.failedUntilMs ?? 0);
  return runsLow && mayAsk ? "spend_and_ask" : "spend";
}

/**
 * Units left in the period as this process knows it: exact but for what others have used since the last answer or not
 * committed yet. What others hold counts as left until they use it.
 *
 * @returns `undefined` before the first answer.
 */
export function unitsLeft(
  state: LeaseState,
  lease: HeldUnits | undefined,
  nowMs: number,
): number | undefined {
  if (!state.isAnswered) {
    return undefined;
  }
  // Others were asked to give back and had nothing to give, so they have used it.
  const isUsed = state.hasAskedOthers && nowMs < state.shortUntilMs;
  return state.left + (isUsed ? 0 : state.heldElsewhere) + (lease?.remaining ?? 0);
}

/**
 * Sums what callers wait for beyond what is held already.
 *
 * @param held - Units that may be spent here.
 * @param left - Units that no lease holds.
 */
export function countWaits(waits: LeaseWaits, held: number, left: number): WantedUnits {
  let units = -held;
  let isTooMuch = false;
  for (const [quantity, callers] of waits) {
    if (quantity > held + left) {
      isTooMuch = true;
    } else {
      units += quantity * callers;
    }
  }
  return { units: Math.max(0, units), isTooMuch };
}

/** True when a lease in doubt keeps units from callers who fall short: they can be granted only once it went back. */
function blocksGrant(lease: HeldUnits | undefined, answer: LeaseAnswer): boolean {
  return lease?.isInDoubt === true && answer.isShort && !answer.isReported;
}

function decideEffect(event: LeaseEvent & { type: "answered" }): LeaseEffect {
  const { answer, lease, isSameLease, nowMs } = event;
  if (answer.granted > 0 || isSameLease) {
    return "hold";
  }
  return spendableUnits(lease, nowMs) <= 0 || blocksGrant(lease, answer) ? "drop" : "keep";
}

/** Units held after the effect of an answer. */
function heldAfter(effect: LeaseEffect, event: LeaseEvent & { type: "answered" }): number {
  const { answer, lease, isSameLease } = event;
  switch (effect) {
    case "hold":
      if (!isSameLease) {
        return answer.granted;
      }
      return lease === undefined ? 0 : Math.max(0, lease.remaining + answer.granted);
    case "drop":
      return 0;
    case "keep":
      return lease?.remaining ?? 0;
  }
}

function applyAnswer(
  before: LeaseState,
  event: LeaseEvent & { type: "answered" },
): LeaseTransition {
  const { answer, waits, nowMs } = event;
  const { granted, left, heldElsewhere, isReported } = answer;
  const effect = decideEffect(event);
  // From the answer on: however long the database took, a caller who waited must still find what it said.
  const untilMs = before.isInDoubt ? 0 : nowMs + EXHAUSTED_FOR_MS;
  // A short answer with nothing left was all there is: a call that wants more need not ask to learn that.
  const isAll = granted <= 0 || (answer.isShort && left === 0);
  // An answer that no one waited for says nothing about calls that want too much.
  const isAboutWaits = answer.isShort || waits.size > 0;
  const state: LeaseState = {
    isAnswered: true,
    answeredAtMs: nowMs,
    left,
    heldElsewhere,
    isReported,
    isInDoubt: before.isInDoubt,
    isShort: answer.isShort && !isReported,
    spend: answer.spend,
    hasAskedOthers: isAboutWaits ? false : before.hasAskedOthers,
    exhaustedUntilMs: 0,
    shortUntilMs: isAboutWaits ? (answer.isShort ? untilMs : 0) : before.shortUntilMs,
    noLookaheadUntilMs: isAll && !isReported ? untilMs : 0,
    failedUntilMs: undefined,
  };
  // Others are asked for what they hold only when that helps a caller who waits, and never for a reported balance.
  const isAsked = state.isShort && isAwaited(state, heldAfter(effect, event), waits);
  const isExhausted = isAll && left === 0 && (isAsked || heldElsewhere === 0 || isReported);
  return { state: isExhausted ? { ...state, exhaustedUntilMs: untilMs } : state, effect };
}

function applyChange(
  before: LeaseState,
  { quantity, sinceMs, isAsking }: LeaseEvent & { type: "changed_elsewhere" },
): LeaseState {
  const isInDoubt = isAsking || before.answeredAtMs >= sinceMs;
  const state = isInDoubt
    ? { ...before, isInDoubt }
    : { ...before, left: Math.max(0, before.left + quantity) };
  return quantity > 0 ? { ...state, exhaustedUntilMs: 0, shortUntilMs: 0 } : state;
}

/** Moves a state on. Pure: the same state and event always give the same transition. */
export function reduceLease(state: LeaseState, event: LeaseEvent): LeaseTransition {
  switch (event.type) {
    case "asked":
      return { state: { ...state, isInDoubt: false }, effect: "keep" };
    case "answered":
      return applyAnswer(state, event);
    case "failed":
      return { state: { ...state, failedUntilMs: event.nowMs + FAILED_FOR_MS }, effect: "keep" };
    case "others_asked":
      return { state: { ...state, hasAskedOthers: true }, effect: "keep" };
    case "changed_elsewhere":
      return { state: applyChange(state, event), effect: "keep" };
  }
}
