import type { Currency } from "../../money/currency.ts";
import { type PeriodUnit, periodAt } from "../../time/period.ts";
import { type BillingPlan, hasPrices, isPriced, type PricedCard } from "../catalog/billing-plan.ts";
import type { Line, LineOwner, Span, Use } from "../rating/line.ts";
import { chargeAdvance, type Stretch, sumUses } from "../rating/stretch.ts";
import { type PhaseInForce, phaseAt } from "./phases.ts";
import { planInterval } from "./plan-interval.ts";
import { type Run, type RunningMinimum, seatsOf } from "./subscription.ts";

/** How fees in advance are charged when a run opens: as of the period, as a part of a change, or from the next boundary on. */
export type OpeningCharge = "base" | "proration" | "none";

/** Usage that happened at the instant of the opening: it belongs to what begins there. */
export type OpeningUses = (meterId: string) => { served: readonly Use[]; beyond: readonly Use[] };

export function spanAt(anchorMs: number, interval: PeriodUnit, atMs: number): Span {
  const { start, end } = periodAt(new Date(anchorMs), interval, new Date(atMs));
  return { fromMs: start.getTime(), toMs: end.getTime() };
}

function toOwner(run: Run, card: PricedCard | undefined): LineOwner {
  return {
    planId: run.plan.planId,
    isAddOn: run.isAddOn,
    runOrder: run.order,
    planPlace: run.plan.place,
    cardPlace: card?.place,
    card: card?.key,
    ...(card?.meterId !== undefined && { meterId: card.meterId }),
    ...(run.plan.isPrepaid === true && { isPrepaid: true }),
  };
}

/** Begins a plan or an add-on in a phase; nothing of it is open yet. */
export function createRun(
  plan: BillingPlan,
  run: Pick<Run, "isAddOn" | "order" | "startMs" | "inForce" | "seats" | "hasBeenPriced">,
): Run {
  const hasBeenPriced = run.hasBeenPriced || hasPrices(run.inForce.phase);
  return { plan, ...run, hasBeenPriced, stretches: [], minimum: undefined };
}

export function enterPhase(run: Run, inForce: PhaseInForce): Run {
  const hasBeenPriced = run.hasBeenPriced || hasPrices(inForce.phase);
  return { ...run, inForce, hasBeenPriced };
}

/** Enters the next phase of a run whose phase has ended. */
export function turnPhase(run: Run, atMs: number): Run {
  const { inForce, plan, startMs, hasBeenPriced } = run;
  return inForce.toMs !== undefined && inForce.toMs <= atMs
    ? enterPhase(run, phaseAt(plan, { startMs, atMs, skipsHead: hasBeenPriced }))
    : run;
}

type Opening = {
  readonly anchorMs: number;
  readonly atMs: number;
  readonly charge: OpeningCharge;
  readonly uses: OpeningUses;
  readonly currency: Currency;
};

function cutToPhase(span: Span, run: Run): Span {
  return { ...span, toMs: Math.min(span.toMs, run.inForce.toMs ?? span.toMs) };
}

/** Opens the period of a card that holds an instant. */
export function openStretch(
  run: Run,
  card: PricedCard,
  { anchorMs, atMs, uses }: Omit<Opening, "charge" | "currency">,
): Stretch {
  const full = spanAt(anchorMs, card.interval, atMs);
  const { served, beyond } =
    card.meterId === undefined ? { served: [], beyond: [] } : uses(card.meterId);
  return {
    ...cutToPhase({ fromMs: atMs, toMs: full.toMs }, run),
    card,
    owner: toOwner(run, card),
    full,
    seats: seatsOf(run, card.key, card.quantity),
    uses: served,
    used: sumUses(served),
    beyond,
  };
}

/** The lines of a fee in advance that opens: a part of a period that a change begins is a proration. */
export function chargeOpening(
  stretch: Stretch,
  { charge, currency }: Pick<Opening, "charge" | "currency">,
): Line[] {
  if (charge === "none") {
    return [];
  }
  const isInside = charge === "proration" && stretch.fromMs !== stretch.full.fromMs;
  return chargeAdvance(stretch, isInside ? "proration" : "base", currency);
}

function openMinimum(run: Run, { anchorMs, atMs }: Opening): RunningMinimum | undefined {
  const { minimum, taxClass } = run.inForce.phase;
  if (minimum === undefined) {
    return;
  }
  const full = spanAt(anchorMs, planInterval(run.inForce.phase), atMs);
  return {
    ...cutToPhase({ fromMs: atMs, toMs: full.toMs }, run),
    amount: minimum,
    full,
    owner: toOwner(run, undefined),
    taxClass,
  };
}

/** Opens what is not open: the cards of the phase and its minimum. Fees in advance are charged. */
export function openRun(run: Run, opening: Opening): { run: Run; lines: Line[] } {
  const open = new Set(run.stretches.map(({ card }) => card.key));
  const opened = run.inForce.phase.cards
    .filter(isPriced)
    .filter(({ key }) => !open.has(key))
    .map((card) => openStretch(run, card, opening));
  return {
    run: {
      ...run,
      stretches: [...run.stretches, ...opened],
      minimum: run.minimum ?? openMinimum(run, opening),
    },
    lines: opened.flatMap((stretch) => chargeOpening(stretch, opening)),
  };
}
