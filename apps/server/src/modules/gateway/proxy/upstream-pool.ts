import { judgeShare } from "@turnpike/domain/limits/fair-share";
import { buildConnector, type Dispatcher, Pool } from "undici";
import type { Clock } from "#platform/clock.ts";
import { createPermitCounts, type PermitCounts } from "#platform/permit-counts.ts";
import type { SharedPermits } from "#platform/shared-permits.ts";
import { type PermitVerdict, takePermit } from "../decide/limits/call-permits.ts";
import { preflightPermits } from "../decide/limits/cluster-places.ts";
import { relaxResponseParser } from "./upstream-parser.ts";
import type { Upstream } from "./upstream-router.ts";

/** Consecutive failures to connect after which we stop trying for a moment. */
const CONNECT_FAILURES_MAX = 5;
const FAIL_FAST_MS = 1000;
/** Twice what Node and nginx allow by default; what is larger is an attack or a defect. */
const REPLY_HEAD_BYTES_MAX = 32 * 1024;
/** Below the 5 s of Node's and the 60 s of nginx's default, so that we close idle connections before the upstream does. */
const KEEP_ALIVE_MS = 4000;

/** The sender that a permit is for: a tenant, or a preflight, which has none. */
export type PermitUse = { tenantId: string } | "preflight";

/** Opens the permits of an upstream that all threads share. */
export type ShareUpstream = {
  /** Of which `max` may be taken, by calls and preflights together. */
  permits(max: number): SharedPermits;
  /** Counts the permits that preflights have taken. */
  preflights(max: number): SharedPermits;
  /** By tenant. */
  holders(): PermitCounts;
};

/** Without `servername` undici takes the name of the Host header, and closes the connection when that changes. */
export type UpstreamDispatch = Dispatcher.DispatchOptions & { servername: string };

/**
 * The connections to one upstream, how many calls use them, and whether it can be connected to at all.
 * One call at a time on a connection: a request never waits behind another one's answer.
 */
export class UpstreamPool {
  readonly upstream: Upstream;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #permits:
    | { call: SharedPermits; preflight: SharedPermits; preflights: SharedPermits }
    | undefined;
  readonly #tenants: PermitCounts;
  readonly #preflightsMax: number;
  #active = 0;
  #preflights = 0;
  #connectFailures = 0;
  #failingUntilMs = 0;

  /**
   * @param input.share - With several threads. Left out: this thread has all that the upstream allows.
   */
  constructor(input: { upstream: Upstream; clock: Clock; share?: ShareUpstream | undefined }) {
    const { upstream, share } = input;
    // Threads do not see each other's preflights, so `below` bounds the permits in use, of calls and preflights.
    const { most, below } = preflightPermits(upstream.maxConcurrent);
    this.upstream = upstream;
    this.#clock = input.clock;
    this.#permits = share && {
      call: share.permits(upstream.maxConcurrent),
      preflight: share.permits(below),
      preflights: share.preflights(upstream.maxConcurrent),
    };
    this.#tenants = share?.holders() ?? createPermitCounts();
    this.#preflightsMax = most;
    this.#pool = new Pool(input.upstream.origin, {
      connections: input.upstream.maxConcurrent,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: REPLY_HEAD_BYTES_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: connectByAddress(upstream),
    });
  }

  get active(): number {
    return this.#active;
  }

  dispatch(options: UpstreamDispatch, handler: Dispatcher.DispatchHandler): void {
    this.#pool.dispatch(options, handler);
  }

  /**
   * Takes a permit of the upstream, of which each tenant has a fair share.
   *
   * @throws {AppError} `OVERLOADED`; see {@link takePermit}.
   */
  tryAcquire(use: PermitUse): PermitVerdict {
    if (use === "preflight") {
      return this.#tryAcquirePreflight();
    }
    const { maxConcurrent, tenantSharePercent } = this.upstream;
    const verdict = judgeShare({
      whole: maxConcurrent,
      taken: this.#takenByTenants(),
      own: this.#tenants.held(use.tenantId),
      asked: 1,
      sharePercent: tenantSharePercent,
    });
    if (verdict !== "fits") {
      return verdict;
    }
    if (this.#active >= maxConcurrent) {
      return "full";
    }
    if (!takePermit(this.#tenants, use.tenantId, maxConcurrent)) {
      return "over-share";
    }
    if (this.#permits?.call.tryTake() === false) {
      this.#tenants.giveBack(use.tenantId);
      return "full";
    }
    this.#active += 1;
    return "taken";
  }

  /** Without preflights, which need no key: else anyone could make the share of each tenant smaller. */
  #takenByTenants(): number {
    if (this.#permits === undefined) {
      return this.#active - this.#preflights;
    }
    const preflights = this.#permits.preflights.taken();
    return this.#permits.call.taken() - preflights;
  }

  #tryAcquirePreflight(): PermitVerdict {
    const isFull =
      this.#preflights >= this.#preflightsMax || this.#active >= this.upstream.maxConcurrent;
    if (isFull || this.#permits?.preflight.tryTake() === false) {
      return "full";
    }
    if (this.#permits?.preflights.tryTake() === false) {
      this.#permits.preflight.giveBack();
      return "full";
    }
    this.#active += 1;
    this.#preflights += 1;
    return "taken";
  }

  /** Returns a permit that was taken for the same use. */
  release(use: PermitUse): void {
    this.#active -= 1;
    if (use === "preflight") {
      this.#preflights -= 1;
      this.#permits?.preflights.giveBack();
      this.#permits?.preflight.giveBack();
    } else {
      this.#tenants.giveBack(use.tenantId);
      this.#permits?.call.giveBack();
    }
  }

  /** True for a second after several failed connections in a row: calls must not pile up behind a dead upstream. */
  isFailing(): boolean {
    return this.#failingUntilMs > 0 && this.#clock.monotonicMs() < this.#failingUntilMs;
  }

  recordAnswer(): void {
    this.#connectFailures = 0;
    this.#failingUntilMs = 0;
  }

  recordFailure(error: Error): void {
    if (!isConnectFailure(error)) {
      return;
    }
    this.#connectFailures += 1;
    if (this.#connectFailures >= CONNECT_FAILURES_MAX) {
      this.#failingUntilMs = this.#clock.monotonicMs() + FAIL_FAST_MS;
    }
  }

  /** Waits for calls under way, at most `graceMs`, then drops them. */
  async close(graceMs: number): Promise<void> {
    const timer = setTimeout(() => void this.#pool.destroy(), graceMs);
    try {
      await this.#pool.close();
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Connects to what the upstream's address names, and demands a certificate for that: undici would take the name from the
 * Host header, which with `preserveHost` is the client's. An IP address is no name for TLS, and is left out there.
 */
function connectByAddress({ timeouts }: Upstream): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeouts.connectMs,
    allowH2: false,
    // A WebSocket peer may end its side and still be answered; for calls undici itself closes on an end.
    allowHalfOpen: true,
  });
  return (options, callback) => {
    connect({ ...options, servername: "" }, (...result) => {
      callback(...result);
      const [error, socket] = result;
      if (error === null) {
        relaxResponseParser(socket);
      }
    });
  };
}

/** True when no connection was made, so that the upstream cannot have seen the request. */
function isConnectFailure(error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  const isConnectCall =
    "syscall" in error && (error.syscall === "connect" || error.syscall === "getaddrinfo");
  return code === "UND_ERR_CONNECT_TIMEOUT" || isConnectCall || error instanceof AggregateError;
}
