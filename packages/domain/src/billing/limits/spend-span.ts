import type { Quantity } from "../../pricing/price.ts";
import type { Span } from "../rating/line.ts";
import type { Spend } from "./spend.ts";

/** A billing period with what it has cost when billing last looked at it. */
export type SpendSpan = Span & { readonly spend: Spend };

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
