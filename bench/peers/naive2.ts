import { quantile } from "@turnpike/domain/forecast/statistics";

/** Whether a series has a season: its autocorrelation there is beyond chance, 90 % of the time. */
function hasSeason(values: readonly number[], season: number): boolean {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const at = (lag: number) =>
    values
      .slice(lag)
      .reduce((sum, value, index) => sum + (value - mean) * ((values[index] ?? 0) - mean), 0);
  const variance = at(0);
  if (variance === 0) {
    return false;
  }
  let squares = 0;
  for (let lag = 1; lag < season; lag += 1) {
    squares += (at(lag) / variance) ** 2;
  }
  return Math.abs(at(season) / variance) > 1.645 * Math.sqrt((1 + 2 * squares) / values.length);
}

/** Multiplicative indices of slots: medians would do, means of ratios to the centred moving mean are the definition. */
function indicesOf(values: readonly number[], season: number): number[] {
  const half = season / 2;
  const ratios: number[][] = Array.from({ length: season }, () => []);
  for (let at = Math.ceil(half); at < values.length - half; at += 1) {
    const window = values.slice(
      at - Math.floor(half),
      at + Math.ceil(half) + (season % 2 === 0 ? 1 : 0),
    );
    const ends = season % 2 === 0 ? ((window[0] ?? 0) + (window.at(-1) ?? 0)) / 2 : 0;
    const total = window.reduce((sum, value) => sum + value, 0) - ends;
    if (total > 0) {
      ratios[at % season]?.push(((values[at] ?? 0) * season) / total);
    }
  }
  const raw = ratios.map((ofSlot) =>
    ofSlot.length === 0 ? 1 : ofSlot.reduce((sum, value) => sum + value, 0) / ofSlot.length,
  );
  const mean = raw.reduce((sum, value) => sum + value, 0) / season;
  return raw.map((index) => (mean === 0 ? 1 : index / mean));
}

/** The benchmark of the M4 competition: the last value without its season, again and again, with the season. */
export function naive2(
  values: readonly number[],
  { season, horizon }: { season: number; horizon: number },
): number[] {
  const indices = hasSeason(values, season)
    ? indicesOf(values, season)
    : new Array<number>(season).fill(1);
  const lastIndex = indices[(values.length - 1) % season] ?? 1;
  const last = lastIndex === 0 ? quantile(values, 0.5) : (values.at(-1) ?? 0) / lastIndex;
  return Array.from(
    { length: horizon },
    (_, step) => last * (indices[(values.length + step) % season] ?? 1),
  );
}
