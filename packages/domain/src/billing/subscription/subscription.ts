import type { Picos } from "../../money/exact.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { BillingPlan } from "../catalog/billing-plan.ts";
import type { LineOwner, Span } from "../rating/line.ts";
import type { Stretch } from "../rating/stretch.ts";
import type { PhaseInForce } from "./phases.ts";

export const PRORATION_MODES = ["time", "largerOfTimeOrQuota", "nextPeriod", "none"] as const;
export type ProrationMode = (typeof PRORATION_MODES)[number];

/** The least that a phase charges for the running period of its plan. */
export type RunningMinimum = Span & {
  readonly amount: Picos;
  readonly full: Span;
  readonly owner: LineOwner;
  readonly taxClass: string;
};

/** A plan or an add-on while it runs. */
export type Run = {
  readonly plan: BillingPlan;
  readonly isAddOn: boolean;
  readonly order: number;
  /** Phases are counted from here. */
  readonly startMs: number;
  readonly inForce: PhaseInForce;
  /** True once a phase with prices has begun. */
  readonly hasBeenPriced: boolean;
  /** Seats by card, where they differ from the catalogue. */
  readonly seats: ReadonlyMap<string, Quantity>;
  readonly stretches: readonly Stretch[];
  readonly minimum: RunningMinimum | undefined;
};

export type Subscription = {
  /** `ended` and `paused` keep what ran last; `scheduled` has what is to begin at `startMs`, of which nothing is open yet. */
  readonly state: "scheduled" | "running" | "paused" | "ended";
  readonly startMs: number;
  /** Where it began to run: the start, or the last time that it was resumed. */
  readonly runningSinceMs: number;
  readonly anchorMs: number;
  /** True when `subscribe` named the anchor. */
  readonly isAnchorGiven: boolean;
  readonly run: Run;
  readonly addOns: readonly Run[];
  /** The running period: of the interval of the plan, cut to its phase; in a trial the phase. */
  readonly period: Span;
  readonly pendingChange: { readonly plan: BillingPlan; readonly mode: ProrationMode } | undefined;
  readonly pendingEnd: { readonly mode: ProrationMode } | undefined;
  readonly pendingPause: { readonly mode: ProrationMode } | undefined;
};

/** The plan and its add-ons, in the order of their lines. */
export function listRuns({ run, addOns }: Subscription): Run[] {
  return [run, ...addOns];
}

export function seatsOf(run: Run, key: string, standard: Quantity): Quantity {
  return run.seats.get(key) ?? standard;
}
