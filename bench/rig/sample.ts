import type { LoadGenerator, LoadOrder, LoadResult } from "./load.ts";
import { type PinnedProcess, serverCoreSeconds } from "./pinned-process.ts";
import { median, round } from "./statistics.ts";

/** One round of load on one server. */
export type Sample = {
  result: LoadResult;
  /** Answers per second of the round and of what the server still had to do after it. */
  perSecond: number;
  /** Of all processes and threads of the server, its database included. */
  cpuMicrosPerCall: number;
  /** Share of its core that the server used; at full load near 1, or something else was the bottleneck. */
  serverShare: number;
  /** Share of the server's core that other programs of the machine took; 0 where it is not known. */
  takenByOthers: number;
};

/** Above this the rounds tell more about the neighbours than about the candidates. */
const TAKEN_BY_OTHERS_MAX = 0.1;
/** Below this at full load, the load generator or its core was the bottleneck. */
const SERVER_SHARE_MIN = 0.85;

/** How the end of a server's work is noticed: it used less than this share of a core for so long. */
const IDLE_SHARE = 0.1;
const IDLE_WINDOW_MS = 300;
const IDLE_TIMEOUT_MS = 30_000;

/**
 * Waits until a server has nothing left to do. A server may answer first and record later: what it does after the load is
 * part of the price of the calls, and would otherwise count against the next candidate.
 *
 * @returns CPU seconds that it used meanwhile.
 */
async function waitUntilIdle(server: PinnedProcess): Promise<number> {
  const first = server.cpuSeconds();
  const endsAtMs = performance.now() + IDLE_TIMEOUT_MS;
  for (let before = first; ; ) {
    await new Promise((resolve) => setTimeout(resolve, IDLE_WINDOW_MS));
    const now = server.cpuSeconds();
    const share = (now - before) / (IDLE_WINDOW_MS / 1000);
    if (share < IDLE_SHARE || performance.now() > endsAtMs) {
      return before - first;
    }
    before = now;
  }
}

type RoundOptions = {
  waitsUntilIdle: boolean;
  /** Has the server do what it puts off for longer than it waits here. */
  finish?: () => Promise<unknown>;
};

/** Runs one round and takes the server's CPU time along, until it is done with all of it unless told not to wait. */
export async function measureRound(
  load: LoadGenerator,
  server: PinnedProcess & { port: number },
  order: Omit<LoadOrder, "port">,
  { waitsUntilIdle, finish }: RoundOptions = { waitsUntilIdle: true },
): Promise<Sample> {
  const coreBefore = serverCoreSeconds();
  const cpuBefore = server.cpuSeconds();
  const startedAtMs = performance.now();
  const result = await load.run({ ...order, port: server.port });
  const cpuSeconds = server.cpuSeconds() - cpuBefore;
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  const coreSeconds = (serverCoreSeconds() ?? 0) - (coreBefore ?? 0);
  let afterwardsSeconds = waitsUntilIdle ? await waitUntilIdle(server) : 0;
  if (finish !== undefined) {
    const before = server.cpuSeconds();
    await finish();
    afterwardsSeconds += server.cpuSeconds() - before + (await waitUntilIdle(server));
  }
  return {
    result,
    // It has one core: a second of work after the load is a second that the load would have taken longer.
    perSecond: result.answers / (result.seconds + afterwardsSeconds),
    cpuMicrosPerCall: ((cpuSeconds + afterwardsSeconds) / result.answers) * 1e6,
    serverShare: cpuSeconds / elapsedSeconds,
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
    "p90 ms": of((sample) => sample.result.latencyMsP90),
    "p99 ms": of((sample) => sample.result.latencyMsP99),
    "p99.9 ms": of((sample) => sample.result.latencyMsP999),
    "CPU µs/call": of((sample) => sample.cpuMicrosPerCall),
    "server busy": of((sample) => sample.serverShare),
    "core taken by others": of((sample) => sample.takenByOthers),
    "generator busy": of((sample) => sample.result.generatorShare),
  };
}

/**
 * Warnings about rounds at full load: when other programs took much of the core, or when a server was not kept busy, only the
 * CPU time per call still means something.
 */
export function disturbanceRemarks(samples: readonly Sample[]): string[] {
  const percent = (share: number) => `${String(Math.round(share * 100))}%`;
  const taken = median(samples.map((sample) => sample.takenByOthers));
  const idlest = Math.min(...samples.map((sample) => sample.serverShare));
  const consequence =
    "Calls per second, latencies and their ratios are not to be trusted; CPU per call is, more or less.";
  return [
    ...(taken > TAKEN_BY_OTHERS_MAX
      ? [`DISTURBED: other programs took ${percent(taken)} of the servers' core. ${consequence}`]
      : []),
    ...(idlest < SERVER_SHARE_MIN
      ? [
          `NOT SATURATED: in some round at full load a server used ${percent(idlest)} of its core. ${consequence}`,
        ]
      : []),
  ];
}
