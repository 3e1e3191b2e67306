/** What is said about a tenant, and how much history it takes to say it without guessing. */
export type Ability = {
  id: "changes" | "forecast" | "advice";
  title: string;
  /** What it will say. */
  says: string;
  /** Why it needs so much. */
  reason: string;
  /** Full days with calls that it needs. */
  daysNeeded: number;
};

export const ABILITIES: readonly Ability[] = [
  {
    id: "changes",
    title: "What changed",
    says: "Which key, route or status left its usual pattern, when that began, and the calls that show it.",
    reason: "A usual pattern takes two of each weekday.",
    daysNeeded: 14,
  },
  {
    id: "forecast",
    title: "What is coming",
    says: "Where the period will end, with an interval, the day a quota will run out, and how far off past forecasts were.",
    reason:
      "A forecast is tested against past usage before it is shown, which takes four weeks of history.",
    daysNeeded: 28,
  },
  {
    id: "advice",
    title: "Which plan fits",
    says: "What each plan would have meant for the calls you actually made.",
    reason: "This takes one full period of history.",
    daysNeeded: 31,
  },
];

export type Readiness = Ability & {
  days: number;
  /** 0 to 1. */
  share: number;
  /** "9 of 14 days" */
  progress: string;
};

/** @param days - Full days on which the tenant had calls. */
export function toReadiness(days: number): readonly Readiness[] {
  return ABILITIES.map((ability) => {
    const counted = Math.min(days, ability.daysNeeded);
    return {
      ...ability,
      days: counted,
      share: counted / ability.daysNeeded,
      progress: `${String(counted)} of ${String(ability.daysNeeded)} days`,
    };
  });
}

/**
 * Counts the days of history: those that are over and had calls.
 *
 * @param rows - One a day with calls, by the start of the day.
 * @param today - Start of the running day, ISO 8601.
 */
export function countDays(
  rows: readonly { time: string | null }[],
  today: string | undefined,
): number {
  return rows.filter(({ time }) => time !== null && time !== today).length;
}
