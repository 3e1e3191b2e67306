import { isSameInterval } from "#components/pricing/interval-words.ts";
import type { Offer } from "./offer.view-model.ts";

export type Rhythm = "month" | "year";

/** A word at the end of a plan's name that says how often it is paid. */
const RHYTHM_WORD = /[\s–-]*\(?\b(monthly|yearly|annual|annually)\)?$/i;

/** The rhythm of an offer: of its fees; undefined for any other than a month or a year. */
export function toRhythm({ interval }: Pick<Offer, "interval">): Rhythm | undefined {
  const isLong = (unit: Rhythm) => isSameInterval(interval, { every: 1, unit });
  return isLong("month") ? "month" : isLong("year") ? "year" : undefined;
}

type Choosable = Pick<Offer, "name" | "currency" | "interval" | "promise">;

/** What siblings share: the name without its rhythm, and the currency. */
function toFamily({ name, currency }: Choosable): string {
  return `${name.replace(RHYTHM_WORD, "").trim().toLowerCase()} ${currency}`;
}

/** True when two offers are one thing, sold by the month and by the year: they are called the same, or promise the same. */
function isSibling(a: Choosable, b: Choosable): boolean {
  const rhythms = new Set([toRhythm(a), toRhythm(b)]);
  const isPair = rhythms.has("month") && rhythms.has("year");
  const isAlike = a.promise !== "" && a.promise === b.promise && a.currency === b.currency;
  return isPair && (isAlike || toFamily(a) === toFamily(b));
}

/**
 * Finds the offers that are sold both by the month and by the year.
 *
 * @returns A test that is true for offers that are not of the chosen rhythm while a sibling is. Undefined when there are no siblings.
 */
export function findHidden<O extends Choosable>(
  offers: readonly O[],
  chosen: Rhythm,
): ((offer: O) => boolean) | undefined {
  const hasSibling = (offer: O) => offers.some((other) => isSibling(offer, other));
  return offers.some(hasSibling)
    ? (offer) => toRhythm(offer) !== chosen && hasSibling(offer)
    : undefined;
}
