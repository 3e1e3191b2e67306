import type { Sample } from "./sample.ts";

/**
 * Measures candidates one after the other, round by round, in alternating order: always being second, with the other's leftovers
 * in memory, would be unfair.
 *
 * @returns The samples of each candidate by its name; samples of one round have the same index.
 */
export async function measureInTurns<Name extends string>(input: {
  names: readonly Name[];
  rounds: number;
  measure: (name: Name) => Promise<Sample>;
}): Promise<Map<Name, Sample[]>> {
  const samples = new Map<Name, Sample[]>(input.names.map((name) => [name, []]));
  for (let turn = 0; turn < input.rounds; turn += 1) {
    for (const name of turn % 2 === 0 ? input.names : input.names.toReversed()) {
      samples.get(name)?.push(await input.measure(name));
    }
  }
  return samples;
}

/** One number of each round. */
export function valuesOf<Name extends string>(
  samples: ReadonlyMap<Name, readonly Sample[]>,
  name: Name,
  pick: (sample: Sample) => number,
): number[] {
  return (samples.get(name) ?? []).map(pick);
}
