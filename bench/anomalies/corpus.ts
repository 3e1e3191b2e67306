/** A series with what happens in it: ranges of points, `from` inclusive, `to` exclusive. None for what must stay quiet. */
export type LabelledSeries = {
  kind: string;
  points: { timeMs: number; value: number }[];
  incidents: { from: number; to: number }[];
};

const HOUR_MS = 60 * 60_000;
const START_MS = Date.UTC(2026, 0, 5);
const DAY = 24;
const WEEK = 7 * DAY;
const LENGTH = 6 * WEEK;
const EVENT_FROM = 3 * WEEK;
const EVENT_SPAN = 2 * WEEK;
/** A detection this long after the end still belongs to the incident. */
const AFTERMATH = DAY;

type Chance = () => number;

/** Mulberry32, as fractions: the same seed gives the same corpus. */
function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Six weeks of hourly calls: a daily rhythm, quieter weekends for half of the customers, and noise that grows with the level. */
function createUsual(chance: Chance, hour: (at: number) => number = (at) => at): number[] {
  const level = 200 * 10 ** (chance() * 3);
  const swing = 0.2 + 0.6 * chance();
  const weekend = chance() < 0.5 ? 1 : 0.5 + 0.4 * chance();
  const noise = 0.03 + 0.07 * chance();
  return Array.from({ length: LENGTH }, (_, at) => {
    const moved = hour(at);
    const isWeekend = Math.floor(at / DAY) % 7 >= 5;
    const rhythm = 1 + swing * Math.sin((moved / DAY) * 2 * Math.PI);
    const jitter = 1 + noise * (chance() + chance() + chance() - 1.5) * 2;
    return Math.max(0, Math.round(level * rhythm * (isWeekend ? weekend : 1) * jitter));
  });
}

type Change = (value: number, since: number, usual: readonly number[]) => number;
/** How long it lasts, in hours, and what it makes of each value. */
const INCIDENTS: Readonly<Record<string, { hours: number; change: Change }>> = {
  spike: { hours: 1, change: (value) => value * 5 },
  "drop to zero": { hours: 8, change: () => 0 },
  "level shift": { hours: 3 * DAY, change: (value) => value * 1.8 },
  "slow leak": { hours: 4 * DAY, change: (value, since) => value * (1 + since * 0.015) },
  "key takeover": { hours: 12, change: (value, _since, usual) => value + Math.max(...usual) },
  "retry storm": { hours: 6, change: (value, since) => value * (1 + 4 * 0.7 ** since) },
  "deploy burst": { hours: 3, change: (value) => value * 3 },
  "missing data": { hours: 2 * DAY, change: () => 0 },
  "flat line": { hours: 2 * DAY, change: (_value, _since, usual) => usual[0] ?? 0 },
};

function toSeries(
  kind: string,
  values: readonly number[],
  from: number,
  hours: number,
): LabelledSeries {
  return {
    kind,
    points: values.map((value, at) => ({ timeMs: START_MS + at * HOUR_MS, value })),
    incidents: hours === 0 ? [] : [{ from, to: from + hours + AFTERMATH }],
  };
}

function createNegatives(chance: Chance): LabelledSeries[] {
  const holiday = EVENT_FROM + Math.floor(chance() * 14) * DAY;
  const quiet = createUsual(chance);
  return [
    toSeries("usual", createUsual(chance), 0, 0),
    // A day as quiet as the quietest of the week before.
    toSeries(
      "holiday",
      quiet.map((value, at) =>
        at >= holiday && at < holiday + DAY ? Math.round(value * 0.75) : value,
      ),
      0,
      0,
    ),
    toSeries(
      "growth",
      createUsual(chance).map((value, at) => Math.round(value * 1.001 ** at)),
      0,
      0,
    ),
  ];
}

function createPositives(chance: Chance): LabelledSeries[] {
  const eventAt = () => EVENT_FROM + Math.floor(chance() * EVENT_SPAN);
  const incidents = Object.entries(INCIDENTS).map(([kind, { hours, change }]) => {
    const from = eventAt();
    const usual = createUsual(chance);
    const before = usual.slice(0, from);
    const values = usual.map((value, at) =>
      at >= from && at < from + hours ? Math.round(change(value, at - from, before)) : value,
    );
    return toSeries(kind, values, from, hours);
  });
  const seasonAt = eventAt();
  const moved = createUsual(chance, (at) => (at < seasonAt ? at : at + DAY / 2));
  return [...incidents, toSeries("season change", moved, seasonAt, 2 * DAY)];
}

/** Creates `rounds` series of every kind of incident, and of what is none. */
export function createCorpus(seed: number, rounds: number): LabelledSeries[] {
  return Array.from({ length: rounds }, (_, round) => {
    const chance = createChance(seed * 1009 + round);
    return [...createPositives(chance), ...createNegatives(chance)];
  }).flat();
}
