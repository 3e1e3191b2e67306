import type { LoadGenerator, LoadOrder, LoadResult } from "./load.ts";
import type { PinnedProcess } from "./pinned-process.ts";
import { median, round } from "./statistics.ts";

/** One round of load on one server. */
export type Sample = {
  result: LoadResult;
  perSecond: number;
  /** Of all processes and threads of the server, its database included. */
  cpuMicrosPerCall: number;
};

/** Runs one round and takes the server's CPU time along. */
export async function measureRound(
  load: LoadGenerator,
  server: PinnedProcess & { port: number },
  order: Omit<LoadOrder, "port">,
): Promise<Sample> {
  const cpuBefore = server.cpuSeconds();
  const result = await load.run({ ...order, port: server.port });
  const cpuSeconds = server.cpuSeconds() - cpuBefore;
  return {
    result,
    perSecond: result.answers / result.seconds,
    cpuMicrosPerCall: (cpuSeconds / result.answers) * 1e6,
  };
}

/** Medians of the rounds as a row for people, behind the names of what was measured. */
export function toSampleRow(
  names: Readonly<Record<string, string>>,
  samples: readonly Sample[],
): Record<string, string | number> {
  const of = (pick: (sample: Sample) => number) => round(median(samples.map(pick)));
  return {
    ...names,
    "calls/s": Math.round(median(samples.map((sample) => sample.perSecond))),
    "p50 ms": of((sample) => sample.result.latencyMsP50),
    "p99 ms": of((sample) => sample.result.latencyMsP99),
    "CPU µs/call": of((sample) => sample.cpuMicrosPerCall),
    "generator busy": of((sample) => sample.result.generatorShare),
  };
}
