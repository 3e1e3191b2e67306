import { join } from "node:path";
import { type HelperProgram, startHelper } from "./helper-program.ts";
import { nextMessage, type PinnedProcess, startPinned } from "./pinned-process.ts";

/**
 * Requests that differ in their key alone, for more keys than could be sent along: the keys stand in a file, one behind the
 * other, all of one length. Every key has its turn, in an order that jumps about.
 */
export type KeyedRequests = {
  before: string;
  after: string;
  keysPath: string;
  keyLength: number;
};

/** What to send, to whom, how hard. Crosses to the generator as JSON. */
export type LoadOrder = {
  port: number;
  /** Whole HTTP/1.1 requests as text, sent in turn. */
  requests: readonly string[] | KeyedRequests;
  connections: number;
  seconds: number;
  /** Calls per second on a fixed schedule, also when the server falls behind; null sends as fast as answers come. */
  ratePerSecond: number | null;
  /** Ends the run early, after so many calls. */
  callsMax?: number;
  /** True when another generator runs on the same core: then each sleeps while it has nothing to do. */
  sharesItsCore?: true;
  /** An answer counts as accepted when its body starts with this (and its status is 200). */
  acceptedStart: string;
};

export type LoadResult = {
  answers: number;
  accepted: number;
  /** The first answer that was not accepted, for the error message. */
  firstRefusal: string | null;
  /** When the first request was sent, milliseconds since the epoch. */
  startedAtMs: number;
  /** From the first request to the last answer. */
  seconds: number;
  latencyMsP50: number;
  latencyMsP90: number;
  latencyMsP99: number;
  latencyMsP999: number;
  latencyMsMax: number;
  /** Share of the time in which the generator had something to do: near 1, it measured itself. */
  generatorShare: number;
};

export type LoadGenerator = {
  run(order: LoadOrder): Promise<LoadResult>;
  stop(): Promise<void>;
};

const GENERATOR_PATH = join(import.meta.dirname, "../programs/load-generator.ts");
/** Beyond the ordered time: for the last answers of a server that hangs. */
const GRACE_MS = 30_000;

/** An argument of the generator's program. */
export const WITH_UPSTREAM = "with-upstream";

/** Starts the load generator on its core; it runs one order at a time. */
export function startLoadGenerator(): LoadGenerator {
  return toGenerator(startPinned([process.execPath, GENERATOR_PATH], { core: "load" }));
}

/**
 * The same with the API behind proxies in its process, at the port that it reports. In one loop with the generator it need not
 * be woken for each call either.
 */
export async function startLoadWithUpstream(): Promise<{
  load: LoadGenerator;
  upstream: HelperProgram;
}> {
  const upstream = await startHelper("load-generator", { core: "load", args: [WITH_UPSTREAM] });
  return { load: toGenerator(upstream), upstream };
}

function toGenerator(running: PinnedProcess): LoadGenerator {
  return {
    run: async (order) => {
      const signal = AbortSignal.timeout(order.seconds * 1000 + GRACE_MS);
      const answered = nextMessage(running.child, { who: "The load generator", signal });
      running.child.send(order);
      const result = await answered;
      if (typeof result === "object" && result !== null && "failure" in result) {
        throw new Error(`The load generator failed: ${String(result.failure)}`);
      }
      // The generator is our own program and sends nothing else.
      return result as LoadResult;
    },
    stop: running.stop,
  };
}

/** @throws when some answer of the run was not accepted: a ratio of refusals means nothing. */
export function assertAllAccepted(result: LoadResult, who: string): void {
  if (result.accepted !== result.answers || result.answers === 0) {
    throw new Error(
      `${who} answered ${String(result.answers)} calls, ${String(result.accepted)} of them as expected; the first other: ${result.firstRefusal ?? "none"}`,
    );
  }
}
