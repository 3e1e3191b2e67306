import { createBelow } from "@turnpike/testkit/seeded-chance";

const PARTS = 1_000_000;

/** Calls an hour of one customer: days, weeks, growth, noise, and now and then a level that jumps. The same seed, the same series. */
export function makeHourlyUsage({ seed, hours }: { seed: number; hours: number }): number[] {
  const below = createBelow(seed + 1);
  const chance = () => below(PARTS) / PARTS;
  const base = 10 ** (1 + 3 * chance());
  const depth = 0.3 + 0.6 * chance();
  const weekend = 0.2 + 0.8 * chance();
  const growth = (chance() - 0.3) / (24 * 90);
  const noise = 0.05 + 0.25 * chance();
  const peak = below(24);
  let jumped = 1;
  let drift = 0;
  return Array.from({ length: hours }, (_, hour) => {
    if (below(24 * 45) === 0) {
      jumped *= 0.6 + 0.9 * chance();
    }
    drift = 0.9 * drift + noise * (chance() + chance() + chance() - 1.5);
    const ofDay = 1 + depth * Math.cos((2 * Math.PI * (hour - peak)) / 24);
    const ofWeek = Math.floor(hour / 24) % 7 >= 5 ? weekend : 1;
    const level = base * jumped * Math.exp(growth * hour);
    return Math.max(0, Math.round(level * ofDay * ofWeek * Math.exp(drift)));
  });
}
