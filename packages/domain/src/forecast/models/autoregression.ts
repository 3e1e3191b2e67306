import { solve } from "../solve.ts";
import { mean } from "../statistics.ts";
import type { Model } from "./model.ts";

const RIDGE = 1;
const WAVES = 3;

function lagsOf(seasons: readonly number[]): number[] {
  const lags = new Set([1, 2, 3]);
  for (const season of seasons) {
    for (const lag of [season - 1, season, season + 1, 2 * season]) {
      lags.add(lag);
    }
  }
  return [...lags].filter((lag) => lag > 0).toSorted((a, b) => a - b);
}

/** Ridge regression on past values around the last seasons, and on waves of each season. */
export function autoregression(seasons: readonly number[]): Model {
  const lags = lagsOf(seasons);
  const longest = lags.at(-1) ?? 1;
  const waves = seasons.flatMap((season) =>
    Array.from(
      { length: Math.min(WAVES, Math.floor(season / 2)) },
      (_, wave) => (2 * Math.PI * (wave + 1)) / season,
    ),
  );
  const size = lags.length + 2 * waves.length + 1;
  const fill = (row: Float64Array, values: readonly number[], at: number) => {
    let index = 0;
    for (const lag of lags) {
      row[index++] = values[at - lag] as number;
    }
    for (const frequency of waves) {
      row[index++] = Math.sin(frequency * at);
      row[index++] = Math.cos(frequency * at);
    }
    row[index] = 1;
  };
  return {
    name: `autoregression ${seasons.join("+")}`,
    valuesMin: longest + Math.max(2 * size, 20),
    prepare: () => (values, horizon) => {
      const centre = mean(values);
      const spread = Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
      const scale = spread === 0 ? 1 : spread;
      const scaled = values.map((value) => (value - centre) / scale);
      const matrix = new Float64Array(size * size);
      const right = new Float64Array(size);
      const row = new Float64Array(size);
      for (let at = longest; at < scaled.length; at += 1) {
        fill(row, scaled, at);
        const target = scaled[at] as number;
        for (let i = 0; i < size; i += 1) {
          const left = row[i] as number;
          right[i] = (right[i] as number) + left * target;
          for (let j = 0; j <= i; j += 1) {
            matrix[i * size + j] = (matrix[i * size + j] as number) + left * (row[j] as number);
          }
        }
      }
      for (let i = 0; i < size; i += 1) {
        matrix[i * size + i] = (matrix[i * size + i] as number) + RIDGE;
      }
      const weights = solve(matrix, right);
      for (let step = 0; step < horizon; step += 1) {
        fill(row, scaled, scaled.length);
        let next = 0;
        for (let i = 0; i < size; i += 1) {
          next += (row[i] as number) * (weights[i] as number);
        }
        // A fit that grows without end is cut where no value was.
        scaled.push(Math.max(-10, Math.min(10, next)));
      }
      return scaled.slice(-horizon).map((value) => value * scale + centre);
    },
  };
}
