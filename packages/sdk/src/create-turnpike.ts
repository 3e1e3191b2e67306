import { type ApiSettings, callApi } from "./call-api.ts";
import { createCatchUp, type GivenUp } from "./catch-up.ts";
import { isUnderWay, TurnpikeUnavailableError } from "./errors.ts";
import { createOutages, type Exposure, type Outage } from "./outage.ts";
import { readLock, readVerifyReply } from "./read-reply.ts";
import { type Runtime, SYSTEM_RUNTIME } from "./runtime.ts";
import { createVerdictCache } from "./verdict-cache.ts";
import { createVerdictOrder } from "./verdict-order.ts";
import type { Lock, ValidReply, Verification, VerifyReply, VerifyRequest } from "./verification.ts";

export type TurnpikeOptions = {
  /** Where Turnpike's API is, such as `https://turnpike.example.com`. */
  url: string;
  /** A service key with the scope `keys:verify`, as a variable of the environment may hold it. */
  serviceKey: string | undefined;
  /** Where customers reach Turnpike, for the links in denials. By default `url`. */
  publicUrl?: string;
  /** Milliseconds for one attempt. By default 2,000. */
  timeoutMs?: number;
  /** Milliseconds for all attempts together. By default 3,000. */
  deadlineMs?: number;
  /** By default 2. */
  retriesMax?: number;
  cache?: {
    /**
     * Milliseconds for which the verdict on a call that costs nothing (`cost: 0`) holds. By default 0: every call is asked.
     * A verdict is never older than this; a call that costs something is always asked.
     */
    checksMs?: number;
    /** Milliseconds for which a key that was unknown, revoked or expired stays refused without asking. By default 5,000; 0: never. */
    deadKeysMs?: number;
    /** Verdicts in memory, at most. By default 10,000. */
    entriesMax?: number;
  };
  /** Bounds of routes that let calls through while Turnpike cannot be asked. */
  exposure?: Partial<Exposure>;
  /** Called for each call that was let through and could not be metered afterwards. */
  onGivenUp?: (call: GivenUp) => void;
  /** Replaces clock, chance and network, for tests and for platforms that have others. */
  runtime?: Partial<Runtime>;
};

export type VerifyOptions = {
  /**
   * What happens to a call while Turnpike cannot be reached. `deny` (default): {@link TurnpikeUnavailableError} is thrown.
   * `allow`: the call passes when this process has seen the same key pass the same check within the last day, and not seen it
   * dead since, within the bounds of `exposure`; it is verified and metered afterwards. A call with a lock never does: there is
   * no lock to settle.
   */
  onUnavailable?: "deny" | "allow";
  /**
   * True for an idempotency key of its own: a lost answer is asked for again, and the call is metered once. At Turnpike it costs
   * a write to the database for each call. By default true with `onUnavailable: "allow"`, for what is verified afterwards may
   * have been metered before, and with a lock, for a second one would hold its units until it lapses; else false.
   */
  exactlyOnce?: boolean;
  /** Identifies your call, and implies `exactlyOnce`: send the same key when you retry, within a day. */
  idempotencyKey?: string;
};

export type Turnpike = {
  /** Of customers, without a slash at the end. */
  publicUrl: string;
  /** Epoch milliseconds, as this client sees it. */
  epochMs: () => number;
  /**
   * Verifies a key, applies its limits and meters the call, in one step. A denied call takes nothing from any limit.
   *
   * @throws {TurnpikeUnavailableError} No verdict could be had, and the call may not pass without one.
   * @throws {TurnpikeRequestError} The question is refused: wrong service key, value out of range.
   */
  verify(request: VerifyRequest, options?: VerifyOptions): Promise<Verification>;
  /**
   * Meters what a call came to that was verified with `lock`, in whole units, and gives back the rest of what was reserved. May
   * be repeated: it happens once.
   *
   * @throws {TurnpikeRequestError} `LOCK_LAPSED`, `LOCK_ENDED` (otherwise than asked for now), `RESOURCE_NOT_FOUND`, or
   *   `LOCK_EXCEEDED`: more than was reserved, and the limits have no room for it. Nothing is metered then.
   * @throws {TurnpikeUnavailableError} No answer came; ask again.
   */
  settle(lockId: string, result: { cost: number }): Promise<Lock>;
  /**
   * Gives back all that a lock reserved; nothing is metered. May be repeated.
   *
   * @throws {TurnpikeRequestError} `LOCK_LAPSED`, `LOCK_ENDED` (it was settled), `RESOURCE_NOT_FOUND`.
   * @throws {TurnpikeUnavailableError} No answer came; ask again.
   */
  release(lockId: string): Promise<Lock>;
  /** Calls let through on trust that are not verified yet. */
  unverifiedCalls(): number;
  /**
   * Waits until calls let through are verified, at most `timeoutMs` (default 5,000), and gives up the others. Call it before the
   * program ends.
   */
  close(options?: { timeoutMs?: number }): Promise<void>;
};

/** Final verdicts: unknown and dead keys. A disabled key may be enabled at any moment. */
const DEAD_CODES: ReadonlySet<string> = new Set(["INVALID_KEY", "REVOKED", "EXPIRED"]);
/** Refusals of one check; the key may pass others. */
const CHECK_CODES: ReadonlySet<string> = new Set(["INSUFFICIENT_SCOPE", "FORBIDDEN_NETWORK"]);
/** Refusals that say nothing about the key: a later call may pass. */
const LIMIT_CODES: ReadonlySet<string> = new Set([
  "RATE_LIMITED",
  "QUOTA_EXCEEDED",
  "SPEND_CAP_REACHED",
  "TOO_MANY_LOCKS",
]);
/** For how long a key that passed may pass again during an outage. */
const KNOWN_MS = 24 * 60 * 60 * 1_000;
/** A call let through is verified within this, or given up. */
const CATCH_UP_SECONDS_MAX = 60 * 60;
const CLOSE_TIMEOUT_MS = 5_000;

function trimSlashes(url: string): string {
  return url.replace(/\/+$/, "");
}

/** Names a check of a key: a key that passes one may fail another. */
function nameCheck({ key, scopes, environment, address }: VerifyRequest): string {
  return JSON.stringify([key, scopes, environment, address]);
}

/** Names the lookup of an unknown key: a key of the other environment is unknown in one lookup and valid in another. */
function nameUnknown({ key, environment }: VerifyRequest): string {
  return environment === undefined ? key : JSON.stringify([key, environment]);
}

/** The whole question. */
function nameQuestion(request: VerifyRequest): string {
  return JSON.stringify([nameCheck(request), request.meter, request.resource]);
}

function hasExpired({ expiresAt }: VerifyReply, epochMs: number): boolean {
  return typeof expiresAt === "string" && Date.parse(expiresAt) <= epochMs;
}

/** A verdict on a call that takes and reserves nothing may answer the next one like it. */
function isCheck({ cost, lock }: VerifyRequest): boolean {
  return cost === 0 && lock === undefined;
}

/** What an earlier verdict says about a later call: whose key it is, but neither limits nor reservations. */
function toKnown({ lock: _lock, ...reply }: ValidReply): ValidReply {
  return { ...reply, limits: [] };
}

/**
 * Makes a client of Turnpike. One for a program: it holds the cache, the count of an outage and the calls to catch up.
 *
 * A missing service key is refused with the first call only: builds (Next's, say) load programs without their environment.
 *
 * @throws {TypeError} For an address that is none.
 */
export function createTurnpike(options: TurnpikeOptions): Turnpike {
  const runtime: Runtime = { ...SYSTEM_RUNTIME, ...options.runtime };
  const settings: ApiSettings = {
    runtime,
    url: trimSlashes(new URL(options.url).href),
    serviceKey: options.serviceKey ?? "",
    timeoutMs: options.timeoutMs ?? 2_000,
    deadlineMs: options.deadlineMs ?? 3_000,
    retriesMax: options.retriesMax ?? 2,
  };
  const { checksMs = 0, deadKeysMs = 5_000, entriesMax = 10_000 } = options.cache ?? {};
  const bounds = { entriesMax, nowMs: runtime.nowMs };
  const checks = createVerdictCache(bounds);
  const dead = createVerdictCache(bounds);
  const known = createVerdictCache(bounds);
  // Keys that passed and were not seen dead since. A key evicted for lack of room is no longer trusted.
  const alive = createVerdictCache(bounds);
  const order = createVerdictOrder(bounds);
  const outages = createOutages(
    { callsMax: 1_000, secondsMax: 60, ...options.exposure },
    runtime.nowMs,
  );
  const catchUp = createCatchUp({
    runtime,
    verify: ask,
    ageSecondsMax: CATCH_UP_SECONDS_MAX,
    // A call let through is verified afterwards under an idempotency key.
    onSettled: outages.written.settle,
    onGivenUp: options.onGivenUp ?? (() => undefined),
  });

  function outageOf({ lock }: VerifyRequest, idempotencyKey: string | undefined): Outage {
    return idempotencyKey === undefined && lock === undefined
      ? outages.remembered
      : outages.written;
  }

  async function ask(
    request: VerifyRequest,
    idempotencyKey: string | undefined,
  ): Promise<VerifyReply> {
    const outage = outageOf(request, idempotencyKey);
    try {
      const { json, isReplay, askedAtMs } = await callApi(settings, {
        path: "/v1/keys/verify",
        body: request,
        idempotencyKey,
        isRepeatable: request.cost === 0 || idempotencyKey !== undefined,
      });
      const reply = readVerifyReply(json);
      outage.recordAnswer();
      if (!isReplay) {
        learn(request, reply, askedAtMs);
      }
      return reply;
    } catch (error) {
      if (error instanceof TurnpikeUnavailableError) {
        if (isUnderWay(error)) {
          outage.recordAnswer();
        } else {
          outage.recordFailure();
        }
      }
      throw error;
    }
  }

  async function endLock(lockId: string, end: "settle" | "release", body: object): Promise<Lock> {
    const path = `/v1/locks/${encodeURIComponent(lockId)}/${end}`;
    const call = { path, body, idempotencyKey: undefined, isRepeatable: true };
    const { json } = await callApi(settings, call);
    return readLock(json);
  }

  /** An answer overtaken by a newer one may remove trust from a key, but never adds any, and is not cached. */
  function learn(request: VerifyRequest, reply: VerifyReply, askedAtMs: number): void {
    const name = nameCheck(request);
    const isNewest = order.advance(request.key, askedAtMs);
    if (isNewest) {
      cache(request, reply, askedAtMs);
    }
    if (reply.valid) {
      if (isNewest) {
        known.keep(name, toKnown(reply), askedAtMs + KNOWN_MS);
        alive.keep(request.key, toKnown(reply), askedAtMs + KNOWN_MS);
      }
    } else if (CHECK_CODES.has(reply.code) || mayBeOfOtherEnvironment(request, reply)) {
      known.drop(name);
    } else if (!LIMIT_CODES.has(reply.code)) {
      alive.drop(request.key);
    }
  }

  function cache(request: VerifyRequest, reply: VerifyReply, askedAtMs: number): void {
    if (DEAD_CODES.has(reply.code)) {
      const name = reply.code === "INVALID_KEY" ? nameUnknown(request) : request.key;
      dead.keep(name, reply, askedAtMs + deadKeysMs);
    }
    if (isCheck(request)) {
      checks.keep(nameQuestion(request), reply, askedAtMs + checksMs);
    }
  }

  /** True for a key that is unknown where one environment was asked for, and did not pass as one of that environment. */
  function mayBeOfOtherEnvironment(request: VerifyRequest, { code }: VerifyReply): boolean {
    const { key, environment } = request;
    const isAsked = code === "INVALID_KEY" && environment !== undefined;
    return isAsked && alive.find(key)?.environment !== environment;
  }

  /** Lets a call pass on trust, when it may. */
  function letThrough(
    request: VerifyRequest,
    idempotencyKey: string | undefined,
  ): Verification | undefined {
    const reply = known.find(nameCheck(request));
    // Another check of the same key may have a newer answer.
    const newest = alive.find(request.key);
    if (reply === undefined || newest === undefined) {
      return;
    }
    const outage = outageOf(request, idempotencyKey);
    // Not refused as EXPIRED: the expiry may have been extended meanwhile, and Turnpike cannot be asked.
    if (hasExpired(newest, runtime.epochMs()) || !outage.tryExpose()) {
      return;
    }
    if (request.cost === 0) {
      // Nothing is metered, so nothing is caught up; its permit stays taken until the outage ends.
      outage.settle("given_up");
    } else {
      catchUp.add({
        request,
        idempotencyKey: idempotencyKey ?? runtime.newId(),
        letThroughAtMs: runtime.nowMs(),
      });
    }
    return { ...reply, source: "outage" };
  }

  function findCached(request: VerifyRequest): VerifyReply | undefined {
    const deadReply = dead.find(request.key) ?? dead.find(nameUnknown(request));
    return deadReply ?? (isCheck(request) ? checks.find(nameQuestion(request)) : undefined);
  }

  return {
    publicUrl: trimSlashes(options.publicUrl ?? settings.url),
    epochMs: runtime.epochMs,
    async verify(request, { onUnavailable = "deny", ...once } = {}) {
      const cached = findCached(request);
      if (cached !== undefined) {
        return { ...cached, source: "cache" };
      }
      const isLock = request.lock !== undefined;
      const { exactlyOnce = isLock || onUnavailable === "allow" } = once;
      const newKey = exactlyOnce ? runtime.newId() : undefined;
      const idempotencyKey = request.cost === 0 ? undefined : (once.idempotencyKey ?? newKey);
      try {
        if (outageOf(request, idempotencyKey).shouldSkip()) {
          throw new TurnpikeUnavailableError("Turnpike did not answer a moment ago");
        }
        const reply = await ask(request, idempotencyKey);
        catchUp.wake();
        return { ...reply, source: "server" };
      } catch (error) {
        const passed =
          error instanceof TurnpikeUnavailableError && onUnavailable === "allow" && !isLock
            ? letThrough(request, idempotencyKey)
            : undefined;
        if (passed === undefined) {
          throw error;
        }
        return passed;
      }
    },
    settle: (lockId, { cost }) => endLock(lockId, "settle", { cost }),
    release: (lockId) => endLock(lockId, "release", {}),
    unverifiedCalls: catchUp.size,
    async close({ timeoutMs = CLOSE_TIMEOUT_MS } = {}) {
      await catchUp.flush(timeoutMs);
      catchUp.close();
    },
  };
}
