import { larger } from "../../money/bounds.ts";
import { type Currency, roundToMinor } from "../../money/currency.ts";
import { SCALE } from "../../money/decimal.ts";
import { toExact } from "../../money/exact.ts";
import { costOf, listTierParts } from "../../pricing/cost.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { PricedCard } from "../catalog/billing-plan.ts";
import { createLine, type Line, type LineOwner, prorate, type Span, type Use } from "./line.ts";

/** The part of one period of a card that is running, from where it began to where it ends unless it is cut. */
export type Stretch = Span & {
  readonly card: PricedCard;
  readonly owner: LineOwner;
  /** The actual full period, which prices are for. */
  readonly full: Span;
  readonly seats: Quantity;
  readonly uses: readonly Use[];
  readonly used: Quantity;
  /** What a hard limit or the cap kept out. */
  readonly beyond: readonly Use[];
};

/** A metered stretch that was charged. Usage of it that is recorded later is late. */
export type ClosedStretch = Span & {
  readonly card: PricedCard;
  readonly owner: LineOwner;
  /** Grows with late usage. */
  readonly used: Quantity;
  /** What its true-up charged beyond usage, less late usage that was set against it. */
  readonly truedUp: bigint;
};

export function sumUses(uses: readonly Use[]): Quantity {
  return uses.reduce((sum, { quantity }) => sum + quantity, 0n);
}

/** A stretch with what was used before an instant: what was used at it, or later, belongs to what begins there. */
export function withoutLater(stretch: Stretch, atMs: number): Stretch {
  const uses = stretch.uses.filter((use) => use.atMs < atMs);
  const beyond = stretch.beyond.filter((use) => use.atMs < atMs);
  return uses.length === stretch.uses.length && beyond.length === stretch.beyond.length
    ? stretch
    : { ...stretch, uses, used: sumUses(uses), beyond };
}

/** The price of a fee for one full period. No seats end a fee: not even a flat fee of a tier is due. */
function chargeFee(
  stretch: Stretch,
  { kind, span }: { kind: Line["kind"]; span: Span },
  currency: Currency,
): Line[] {
  const { card, owner, full, seats } = stretch;
  if (seats === 0n || span.fromMs >= span.toMs) {
    return [];
  }
  const price = costOf(card.price, seats);
  return [
    createLine({
      kind: owner.isAddOn ? "addOn" : kind,
      owner,
      span,
      quantity: seats,
      amount: roundToMinor(prorate(price, span, full), currency),
      taxClass: card.taxClass,
      source: { of: "fee", price, full },
      isAdvance: card.timing === "advance",
    }),
  ];
}

/** Charges a fee in advance for a stretch that opens. */
export function chargeAdvance(
  stretch: Stretch,
  kind: "base" | "proration",
  currency: Currency,
): Line[] {
  const { card } = stretch;
  return card.meterId === undefined && card.timing === "advance"
    ? chargeFee(stretch, { kind, span: stretch }, currency)
    : [];
}

function trueUp(
  { card, full }: Stretch,
  { span, usage }: { span: Span; usage: bigint },
  currency: Currency,
): bigint {
  if (card.price.minimum === undefined) {
    return 0n;
  }
  const due = roundToMinor(prorate(toExact(card.price.minimum), span, full), currency) - usage;
  return larger(due, 0n);
}

function chargeUsage(
  stretch: Stretch,
  span: Span,
  currency: Currency,
): { lines: Line[]; closed: ClosedStretch } {
  const { card, owner, used, uses, beyond } = stretch;
  const amount = roundToMinor(costOf(card.price, used), currency);
  const truedUp = trueUp(stretch, { span, usage: amount }, currency);
  const { taxClass } = card;
  const lines = [
    createLine({
      kind: "usage",
      owner,
      span,
      quantity: used,
      amount,
      tiers: listTierParts(card.price, used),
      taxClass,
      source: { of: "usage", price: card.price, uses },
    }),
  ];
  if (beyond.length > 0) {
    const quantity = sumUses(beyond);
    lines.push(createLine({ kind: "beyondCap", owner, span, quantity, amount: 0n, taxClass }));
  }
  if (truedUp > 0n) {
    lines.push(
      createLine({ kind: "commitment", owner, span, quantity: SCALE, amount: truedUp, taxClass }),
    );
  }
  return { lines, closed: { ...span, card, owner, used, truedUp } };
}

/**
 * Charges what a stretch owes when its period ends or is cut at `atMs`: usage with its true-up, or a fee in arrears. A stretch of no
 * length is not rated.
 */
export function closeStretch(
  stretch: Stretch,
  atMs: number,
  currency: Currency,
): { lines: Line[]; closed: ClosedStretch | undefined } {
  const span = { fromMs: stretch.fromMs, toMs: Math.min(atMs, stretch.toMs) };
  if (span.fromMs >= span.toMs) {
    return { lines: [], closed: undefined };
  }
  if (stretch.card.meterId !== undefined) {
    return chargeUsage(stretch, span, currency);
  }
  return {
    lines:
      stretch.card.timing === "arrears" ? chargeFee(stretch, { kind: "base", span }, currency) : [],
    closed: undefined,
  };
}
