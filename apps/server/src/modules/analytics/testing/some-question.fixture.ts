import { ALL_USAGE_DIMENSIONS, USAGE_MEASURES } from "@turnpike/contract/usage-query";
import { DAY_MS, GRAINS, type Grain, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import fc from "fast-check";
import { CHANGES_MS } from "./invented-calls.fixture.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kolkata",
] as const;
/** Days that a property asks about; the longest that each grain allows is tested on its own. */
const DAYS_MAX: Readonly<Record<Grain, number>> = {
  minute: 1,
  hour: 4,
  day: 20,
  week: 60,
  month: 300,
};

function listOf<Value extends string>(values: readonly Value[], minLength: number) {
  return fc.uniqueArray(fc.constantFrom(...values), { minLength, maxLength: 4 });
}

/** Any question over all tenants. @param keyIds - Keys that calls were made with. */
export function someQuestionOf(keyIds: () => readonly string[]) {
  return fc
    .record({
      measures: listOf(USAGE_MEASURES, 1),
      dimensions: listOf(ALL_USAGE_DIMENSIONS, 0),
      grain: fc.constantFrom(undefined, ...GRAINS),
      timeZone: fc.constantFrom(...ZONES),
      nearMs: fc.constantFrom(...CHANGES_MS),
      // Also seconds and milliseconds: ranges are rounded to minutes.
      beforeMs: fc.integer({ min: -DAY_MS, max: 2 * DAY_MS }),
      share: fc.double({ min: 0.001, max: 1, noNaN: true }),
      isWholeHour: fc.boolean(),
      statusClass: fc.constantFrom(undefined, "2xx", "4xx,5xx"),
      route: fc.constantFrom(undefined, "", "/a\\,b,=1+1"),
      outcome: fc.constantFrom(undefined, undefined, "VALID,RATE_LIMITED"),
      environment: fc.constantFrom(undefined, "live"),
      model: fc.constantFrom(undefined, undefined, "large,{other}", ""),
      plan: fc.constantFrom(undefined, undefined, "free"),
      // Places of keys, which are made with the database.
      keys: fc.option(fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 }), {
        nil: undefined,
      }),
    })
    .map(
      ({
        nearMs,
        beforeMs,
        share,
        isWholeHour,
        statusClass,
        measures,
        dimensions,
        keys,
        ...rest
      }) => {
        const stepMs = isWholeHour ? HOUR_MS : 1;
        const days = rest.grain === undefined ? 300 : DAYS_MAX[rest.grain];
        const fromMs = Math.floor((nearMs - beforeMs) / stepMs) * stepMs;
        const toMs =
          fromMs + Math.max(HOUR_MS, Math.floor((days * share * DAY_MS) / stepMs) * stepMs);
        const text = {
          ...rest,
          measures: measures.join(","),
          dimensions: dimensions.join(","),
          status_class: statusClass,
          key: keys?.map((index) => keyIds()[index]).join(","),
          from: new Date(fromMs).toISOString(),
          to: new Date(toMs).toISOString(),
        };
        const given = Object.entries(text).filter(([, value]) => value !== undefined);
        return Object.fromEntries(given) as Record<string, string>;
      },
    );
}
