import { DAY_MS, type Grain } from "../time/zoned-buckets.ts";
import type { LocalRange } from "./calendar.ts";
import { type Phrase, take } from "./phrase.ts";

const UNIT = "(minute|hour|day|week|month)";
const GRAIN = new RegExp(
  `(?<![\\w#-])(?:${UNIT}[- ]by[- ]\\1|(?:per|by|each|every|by the|for each|for every) ${UNIT}(?:ly)?|(?<=(?<![\\w#])(?:by|per|each) (?:\\S+ ){1,3})and (?:by |per )?${UNIT}|per-${UNIT}|(?:per|by|a) (?:the )?${UNIT}|(minute|hour|dai|week|month)ly(?: basis)?|on a (minute|hour|dai|week|month)ly basis)(?![\\w-])(?! end)`,
);
const TREND =
  /(?<![\w#-])(?:over (?:the )?time|over the (?:day|week|month)|trends?(?: of| in| for)?|trending|time ?line|time ?series|as a (?:chart|graph|line)|day-by-day|histor(?:y|ical)(?: of)?|develop(?:ed|s)? over|evolv(?:e|es|ed|ing)|evolution(?: of)?|developed|progress(?:ed|ion)(?: of)?)(?![\w-])/;

const NAMES: Readonly<Record<string, Grain>> = {
  minute: "minute",
  hour: "hour",
  day: "day",
  dai: "day",
  week: "week",
  month: "month",
};

const HOURS_UNTIL_MS = 2 * DAY_MS;
const DAYS_UNTIL_MS = 93 * DAY_MS;
const WEEKS_UNTIL_MS = 200 * DAY_MS;

/** Takes the step of a series out of a phrase; `trend` when the question asks for a series and leaves the step open. */
export function findGrain(phrase: Phrase): Grain | "trend" | undefined {
  const match = take(phrase, GRAIN);
  if (match !== undefined) {
    take(phrase, TREND);
    const name = match.slice(1).find((group) => group !== undefined);
    return NAMES[name ?? ""];
  }
  return take(phrase, TREND) === undefined ? undefined : "trend";
}

/** The step in which a range has between a dozen and a hundred points. */
export function chooseGrain({ fromMs, toMs }: LocalRange): Grain {
  const lengthMs = toMs - fromMs;
  if (lengthMs <= HOURS_UNTIL_MS) {
    return "hour";
  }
  if (lengthMs <= DAYS_UNTIL_MS) {
    return "day";
  }
  return lengthMs <= WEEKS_UNTIL_MS ? "week" : "month";
}
