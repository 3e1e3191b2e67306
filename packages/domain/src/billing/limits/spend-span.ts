import type { Quantity } from "../../pricing/price.ts";
import type { Span } from "../rating/line.ts";
import type { Spend } from "./spend.ts";

/** A billing period with what it has cost when billing last looked at it. */
export type SpendSpan = Span & {
  readonly spend: Spend;
  /** On a prepaid plan: charges for usage that wait for an invoice, beside those of the cards. Minor units. */
  readonly drawn?: bigint;
};

/** The end of what goes on until the operator has done something: the last instant that there is a date for. */
export const OPEN_END_MS = 8_640_000_000_000_000;

/**
 * The period that a notice names for a span: one that goes on because its invoice waits is still the one before it, which was to end.
 */
export function periodOf(spans: readonly SpendSpan[], span: SpendSpan): Span {
  return span.toMs === OPEN_END_MS ? (spans[0] ?? span) : span;
}

/** Where counting goes on from: usage of each card that billing has not seen yet, and the balance of each meter at that moment. */
export type SpendAnchor = {
  /** At the places of the cards. */
  readonly fresh: readonly Quantity[];
  readonly balances: ReadonlyMap<string, Quantity>;
};

/** What is used of a meter in the ledger in all periods, and what leases hold on top. */
export type MeterReserve = { readonly used: Quantity; readonly held: Quantity };

/**
 * The periods that a grant has to keep within the cap: the running one and those to come, because what is granted now may be spent
 * after the period has turned.
 *
 * @returns Nothing when no period with prices is left; the last one where billing is late to write the one after it.
 */
export function spansAt(spans: readonly SpendSpan[], nowMs: number): SpendSpan[] {
  const coming = spans.filter(({ toMs }) => toMs > nowMs);
  const last = spans.at(-1);
  return coming.length === 0 && spans.length > 1 && last !== undefined ? [last] : coming;
}

/** The spend of a period if everything that is reserved is used in it. */
export function reservedSpend(
  { spend }: SpendSpan,
  {
    anchor,
    reserveOf,
  }: {
    /** Undefined before the period has begun. */
    anchor: SpendAnchor | undefined;
    reserveOf: (meterId: string) => MeterReserve;
  },
): Spend {
  const cards = spend.cards.map((card, place) => {
    const { used, held } = reserveOf(card.meterId);
    const since =
      anchor === undefined
        ? 0n
        : (anchor.fresh[place] ?? 0n) + used - (anchor.balances.get(card.meterId) ?? 0n);
    return { ...card, used: card.used + since + held };
  });
  return { ...spend, cards };
}

/**
 * How long before a period begins grants keep room for it, because their units may be spent in it. Longer than a lease may be spent, by
 * far more than clocks differ.
 */
export const DRAW_AHEAD_MS = 2 * 60_000;

/**
 * What calls draw on credit if everything that is reserved is used: the sum over all periods that are not invoiced and have begun, or are
 * about to. Until a period that is over is invoiced, what is used since counts in both, so that no split of it is too little.
 *
 * @param input.spends - The spend of each period, at the places of `spans`; see {@link reservedSpend}.
 * @returns `undefined` while no plan that runs is prepaid.
 */
export function drawAt(
  spans: readonly SpendSpan[],
  { spends, nowMs }: { spends: readonly Spend[]; nowMs: number },
): Spend | undefined {
  let draw: Spend | undefined;
  for (const [place, { fromMs, drawn }] of spans.entries()) {
    const spend = spends[place];
    if (drawn === undefined || spend === undefined || fromMs > nowMs + DRAW_AHEAD_MS) {
      continue;
    }
    draw = {
      currency: spend.currency,
      fees: (draw?.fees ?? 0n) + drawn,
      cards: [...(draw?.cards ?? []), ...spend.cards.map((card) => ({ ...card, least: 0n }))],
    };
  }
  return draw;
}
