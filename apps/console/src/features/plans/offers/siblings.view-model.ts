import { isSameInterval } from "./interval-words.ts";
import type { Offer } from "./offer.view-model.ts";

export type Rhythm = "month" | "year";

/** A word at the end of a plan's name that says how often it is paid. */
const RHYTHM_WORD = /[\s–-]*\(?\b(monthly|yearly|annual|annually)\)?$/i;

/** The rhythm of an offer: of its fees; undefined for any other than a month or a year. */
export function toRhythm({ interval }: Pick<Offer, "interval">): Rhythm | undefined {
  const isLong = (unit: Rhythm) => isSameInterval(interval, { every: 1, unit });
  return isLong("month") ? "month" : isLong("year") ? "year" : undefined;
}

/** What siblings share: the name without its rhythm, and the currency. */
function toFamily({ name, currency }: Pick<Offer, "name" | "currency">): string {
  return `${name.replace(RHYTHM_WORD, "").trim().toLowerCase()} ${currency}`;
}

type Choosable = Pick<Offer, "name" | "currency" | "interval">;

/**
 * Finds the families of offers that are sold both by the month and by the year.
 *
 * @returns A test that is true for offers that are not of the chosen rhythm while a sibling is. Undefined when no family has both.
 */
export function findHidden<O extends Choosable>(
  offers: readonly O[],
  chosen: Rhythm,
): ((offer: O) => boolean) | undefined {
  const rhythms = new Map<string, Set<Rhythm | undefined>>();
  for (const offer of offers) {
    const family = toFamily(offer);
    rhythms.set(family, (rhythms.get(family) ?? new Set()).add(toRhythm(offer)));
  }
  const isBoth = (family: string) => {
    const found = rhythms.get(family);
    return found?.has("month") === true && found.has("year");
  };
  if (![...rhythms.keys()].some(isBoth)) {
    return;
  }
  return (offer) => {
    const own = toRhythm(offer);
    return isBoth(toFamily(offer)) && own !== undefined && own !== chosen;
  };
}
