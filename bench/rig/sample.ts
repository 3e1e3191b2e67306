import type { LoadGenerator, LoadOrder, LoadResult } from "./load.ts";
import { type PinnedProcess, serverCoreSeconds } from "./pinned-process.ts";
import { median, round } from "./statistics.ts";

/** One round of load on one server. */
export type Sample = {
  result: LoadResult;
  perSecond: number;
  /** Of all processes and threads of the server, its database included. */
  cpuMicrosPerCall: number;
  /** Share of the server's core that other programs of the machine took; 0 where it is not known. */
  takenByOthers: number;
};

/** Above this the rounds tell more about the neighbours than about the candidates. */
const TAKEN_BY_OTHERS_MAX = 0.1;

/** Runs one round and takes the server's CPU time along. */
export async function measureRound(
  load: LoadGenerator,
  server: PinnedProcess & { port: number },
  order: Omit<LoadOrder, "port">,
): Promise<Sample> {
  const coreBefore = serverCoreSeconds();
  const cpuBefore = server.cpuSeconds();
  const startedAtMs = performance.now();
  const result = await load.run({ ...order, port: server.port });
  const cpuSeconds = server.cpuSeconds() - cpuBefore;
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  const coreSeconds = (serverCoreSeconds() ?? 0) - (coreBefore ?? 0);
  return {
    result,
    perSecond: result.answers / result.seconds,
    cpuMicrosPerCall: (cpuSeconds / result.answers) * 1e6,
    takenByOthers: Math.max(0, coreSeconds - cpuSeconds) / elapsedSeconds,
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
    "core taken by others": of((sample) => sample.takenByOthers),
    "generator busy": of((sample) => sample.result.generatorShare),
  };
}

/** A warning when other programs took so much of the core that only the CPU time per call still means something. */
export function disturbanceRemarks(samples: readonly Sample[]): string[] {
  const taken = median(samples.map((sample) => sample.takenByOthers));
  return taken <= TAKEN_BY_OTHERS_MAX
    ? []
    : [
        `DISTURBED: other programs took ${String(Math.round(taken * 100))} % of the servers' core. Calls per second, latencies and their ratios are not to be trusted; CPU per call is, more or less.`,
      ];
}
