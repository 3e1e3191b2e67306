import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { CallOutcome } from "./call-outcome.ts";
import type { Upstream, UpstreamTarget } from "./upstream-router.ts";

/** Which upstreams give no answer, by the calls of this thread and, where no call says it, by connecting to them. */
export type UpstreamHealth = {
  /** Records how a call came out. Cheap: every call does it. */
  record(upstream: Upstream, outcome: CallOutcome): void;
  /** Connects to upstreams of which nothing was seen for ten seconds. Never rejects; takes at most about three seconds. */
  refresh(): Promise<void>;
  /** Names of those that give no answer, in the order of the configuration. */
  failing(): string[];
};

/** Failures in a row that say more than a bad moment. */
const FAILURES_MIN = 3;
/** What was seen within this time is taken as it is. */
const FRESH_MS = 10_000;
/** An upstream that accepts connections and fails calls stays failing for so long after the last failed call. */
const CALL_FAILURE_COUNTS_MS = 60_000;
const PROBE_TIMEOUT_MS = 900;
const PROBE_PAUSE_MS = 100;

type State = {
  upstream: Upstream;
  failures: number;
  isFailing: boolean;
  seenAtMs: number;
  callFailedAtMs: number;
  probing: Promise<void> | undefined;
};

export type ConnectProbe = (target: UpstreamTarget) => Promise<boolean>;

/** True when a connection came about in time; nothing is sent on it. */
function canConnect({ host, port }: UpstreamTarget): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isConnected: boolean): void => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

export function createUpstreamHealth(input: {
  upstreams: readonly Upstream[];
  monotonicMs(): number;
  /** For tests; default: a TCP connection. */
  probe?: ConnectProbe;
}): UpstreamHealth {
  const { monotonicMs, probe = canConnect } = input;
  const states = new Map<Upstream, State>(
    input.upstreams.map((upstream) => [
      upstream,
      {
        upstream,
        failures: 0,
        isFailing: false,
        seenAtMs: Number.NEGATIVE_INFINITY,
        callFailedAtMs: Number.NEGATIVE_INFINITY,
        probing: undefined,
      },
    ]),
  );

  async function connects(upstream: Upstream): Promise<boolean> {
    for (let attempt = 1; attempt <= FAILURES_MIN; attempt += 1) {
      if (await probe(upstream.target)) {
        return true;
      }
      await delay(PROBE_PAUSE_MS);
    }
    return false;
  }

  async function probeOne(state: State): Promise<void> {
    const startedAtMs = monotonicMs();
    const isConnected = await connects(state.upstream);
    if (state.seenAtMs > startedAtMs) {
      // A call came out meanwhile, and says more.
      return;
    }
    state.seenAtMs = monotonicMs();
    if (!isConnected) {
      state.isFailing = true;
    } else if (monotonicMs() - state.callFailedAtMs > CALL_FAILURE_COUNTS_MS) {
      state.failures = 0;
      state.isFailing = false;
    }
  }

  return {
    record(upstream, outcome) {
      const state = states.get(upstream);
      if (state === undefined) {
        return;
      }
      if (outcome.kind === "status") {
        state.failures = 0;
        state.isFailing = false;
        state.seenAtMs = monotonicMs();
      } else if (outcome.code === "UPSTREAM_UNREACHABLE" || outcome.code === "UPSTREAM_TIMEOUT") {
        state.failures += 1;
        state.isFailing ||= state.failures >= FAILURES_MIN;
        state.seenAtMs = monotonicMs();
        state.callFailedAtMs = state.seenAtMs;
      }
    },
    async refresh() {
      const isOld = (state: State): boolean => monotonicMs() - state.seenAtMs > FRESH_MS;
      await Promise.all(
        [...states.values()].filter(isOld).map((state) => {
          state.probing ??= probeOne(state).finally(() => {
            state.probing = undefined;
          });
          return state.probing;
        }),
      );
    },
    failing: () =>
      [...states.values()].filter((state) => state.isFailing).map(({ upstream }) => upstream.name),
  };
}
