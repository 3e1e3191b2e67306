import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { AppError } from "@turnpike/domain/errors/app-error";
import { KEY_LENGTH_MAX, parseKey } from "@turnpike/domain/keys/key-format";
import { periodAt } from "@turnpike/domain/time/period";
import type { EntitlementDirectory } from "#modules/entitlements/index.ts";
import { hashKey, type KeyDirectory, type KeyRecord } from "#modules/keys/index.ts";
import type { HardLimit, LeaseHold, LeaseHolder } from "#modules/metering/index.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Clock } from "#platform/clock.ts";
import { createPermitCounts, type PermitCounts } from "#platform/permit-counts.ts";
import type { CallToDecide, Subject } from "./call-to-decide.ts";
import { checkRights, denyUnknown } from "./check-rights.ts";
import { type Denial, deny } from "./denial.ts";
import { createLimits, type LimitsDeps } from "./limits/apply-limits.ts";
import type { CallPermits } from "./limits/call-permits.ts";
import type { LimitView } from "./limits/limit-view.ts";
import type { LimitsOutcome } from "./limits/limits-outcome.ts";

export type Admission = Subject & {
  allowed: true;
  /** Finds the key in the directory again. */
  keyHash: string;
  /** Units of the meter that the call takes. */
  cost: number;
  /** Units taken of the tenant's hard limit and of the key's own. Settle each or give it back. */
  hold: LeaseHold | undefined;
  keyHold?: LeaseHold | undefined;
  /** Permits of the concurrency limits. Release them when the call is over. */
  permits?: CallPermits | undefined;
  limits: LimitView[];
};

export type Decision = Admission | Denial;

export type DecideDeps = {
  directory: Pick<KeyDirectory, "peekKey" | "loadKey">;
  entitlements: Pick<EntitlementDirectory, "peek" | "load">;
  leases: LeaseHolder;
  /** Calls under way, of each owner of a concurrency limit. Left out: of this thread alone. */
  callCounts?: PermitCounts | undefined;
  clock: Clock;
  /** How long ago the change feed was last heard, in milliseconds. */
  changesSilentMs: () => number;
} & Pick<LimitsDeps, "rateLimiter" | "clusterRates">;

/**
 * What is in memory is trusted this long without news from the change feed. A database that is down can change no key
 * either, so known keys go on working through an outage; a process that is only cut off must stop at some point.
 */
export const STALE_RECORDS_MAX_MS = 10 * 60_000;

/** How often a call waits for a lease before it gets 503: each wait is one query. */
const REFILLS_MAX = 3;

/** How often the records of a call are read, when its key changes each time while the tenant's record is on its way. */
const READS_MAX = 3;

/** Most tenants move within seconds. */
const MOVING_RETRY_SECONDS = 5;

/** How long a refusal waits for the state of a quota from the database; without an answer the quota is left out. */
const DESCRIBE_WAIT_MS = 1_000;

/** True when the database may know the key. A key in memory was known to it, so its form is not checked again. */
export function mayBeKnown(keyText: string): boolean {
  if (keyText.length > KEY_LENGTH_MAX) {
    return false;
  }
  const parsed = parseKey(keyText);
  return parsed.form === "foreign" || (parsed.form === "own" && parsed.kind !== "svc");
}

function checkEnvironment(subject: Subject, call: CallToDecide): Denial | undefined {
  const isRefused = call.takesTestKeys === false && subject.key.environment === "test";
  return isRefused
    ? deny("NO_TEST_UPSTREAM", "The operator of this API has set up no place for test keys.", {
        subject,
      })
    : undefined;
}

/** Decides calls from memory, and asks the database only for what is not there yet. */
export function createDecider(deps: DecideDeps) {
  const limits = createLimits({ ...deps, callCounts: deps.callCounts ?? createPermitCounts() });
  const periods = new WeakMap<Entitlement, { startMs: number; endMs: number }>();

  function periodOf(tenant: Entitlement, nowMs: number): { startMs: number; endMs: number } {
    const known = periods.get(tenant);
    if (known !== undefined && nowMs >= known.startMs && nowMs < known.endMs) {
      return known;
    }
    const period = periodAt(tenant.periodAnchor, tenant.periodUnit, new Date(nowMs));
    const fresh = { startMs: period.start.getTime(), endMs: period.end.getTime() };
    periods.set(tenant, fresh);
    return fresh;
  }

  /** Decides under the limits, or answers the limit whose lease must be refilled first. Nothing is taken on a denial. */
  function applyLimits(
    keyHash: string,
    { subject, call, nowMs }: { subject: Subject; call: CallToDecide; nowMs: number },
  ): Decision | { refill: HardLimit } | Promise<Decision | { refill: HardLimit }> {
    const outcome = limits.apply(subject, call, nowMs);
    return outcome instanceof Promise
      ? outcome.then((later) => toDecision(keyHash, subject, { call, outcome: later }))
      : toDecision(keyHash, subject, { call, outcome });
  }

  function toDecision(
    keyHash: string,
    subject: Subject,
    { call, outcome }: { call: CallToDecide; outcome: LimitsOutcome },
  ): Decision | { refill: HardLimit } {
    switch (outcome.kind) {
      case "refill":
        return { refill: outcome.limit };
      case "refused":
        return deny(outcome.code, outcome.detail, { ...outcome, subject });
      case "taken":
        return {
          allowed: true,
          keyHash,
          key: subject.key,
          tenant: subject.tenant,
          periodStartMs: subject.periodStartMs,
          periodEndMs: subject.periodEndMs,
          cost: call.cost,
          hold: outcome.hold,
          keyHold: outcome.keyHold,
          permits: outcome.permits,
          limits: outcome.limits,
        };
      default:
        return outcome satisfies never;
    }
  }

  /** After a wait everything may have changed, so the key, the plan and the period are read again. */
  async function refillAndDecide(
    hash: string,
    call: CallToDecide,
    wait: { limit: HardLimit; attempt: number },
  ): Promise<Decision> {
    if (wait.attempt > REFILLS_MAX) {
      throw new AppError({
        code: "OVERLOADED",
        publicMessage: "Too many requests wait for this quota. Try again in a moment.",
        headers: { "retry-after": "1" },
      });
    }
    try {
      await deps.leases.refill(wait.limit, Math.max(1, call.cost));
    } catch (error) {
      throw new AppError({
        code: "LIMITS_UNAVAILABLE",
        publicMessage:
          "The limits of this API key cannot be decided right now. Try again in a moment.",
        headers: { "retry-after": "2" },
        cause: error,
      });
    }
    return await loadAndDecide(hash, call, wait.attempt + 1);
  }

  /** Asks for what is not known yet. Asked again, because terms that change meanwhile make it unknown once more. */
  async function learnLimits(subject: Subject, call: CallToDecide, nowMs: number): Promise<void> {
    for (let attempt = 1; attempt <= REFILLS_MAX; attempt += 1) {
      const unknown = limits.listUnknown(subject, call.meterId, nowMs);
      if (unknown.length === 0) {
        return;
      }
      await Promise.all(unknown.map((limit) => deps.leases.refill(limit, 0)));
    }
  }

  /** Adds the state of every limit to a refusal, when the caller asked for it. */
  function tellLimits(denial: Denial, subject: Subject, call: CallToDecide) {
    const nowMs = deps.clock.now().getTime();
    const withLimits = (known: LimitView[]): Denial => ({ ...denial, limits: known });
    const describe = (): Denial | Promise<Denial> => {
      const known = limits.describe(subject, call, nowMs);
      return known instanceof Promise ? known.then(withLimits, () => denial) : withLimits(known);
    };
    if (limits.listUnknown(subject, call.meterId, nowMs).length === 0) {
      return denial.limits.length > 0 ? denial : describe();
    }
    return withTimeout(learnLimits(subject, call, nowMs), DESCRIBE_WAIT_MS).then(
      describe,
      describe,
    );
  }

  function decideFor(
    { hash, key, tenant }: { hash: string; key: KeyRecord; tenant: Entitlement },
    call: CallToDecide,
    attempt: number,
  ): Decision | Promise<Decision> {
    if (call.environment !== undefined && call.environment !== key.environment) {
      return denyUnknown();
    }
    if (tenant.isMoving === true) {
      // No denial, which would be recorded: the ledger may have been copied already.
      throw new AppError({
        code: "TENANT_MOVING",
        publicMessage: "The account of this API key is being moved. Try again in a moment.",
        headers: { "retry-after": String(MOVING_RETRY_SECONDS) },
      });
    }
    const nowMs = deps.clock.now().getTime();
    const period = periodOf(tenant, nowMs);
    const subject: Subject = {
      key,
      tenant,
      periodStartMs: period.startMs,
      periodEndMs: period.endMs,
    };
    const decision =
      checkRights(subject, call, nowMs) ??
      checkEnvironment(subject, call) ??
      applyLimits(hash, { subject, call, nowMs });
    const goOn = (known: Decision | { refill: HardLimit }): Decision | Promise<Decision> => {
      if (!("allowed" in known)) {
        return refillAndDecide(hash, call, { limit: known.refill, attempt });
      }
      return known.allowed || call.tellsLimits !== true ? known : tellLimits(known, subject, call);
    };
    return decision instanceof Promise ? decision.then(goOn) : goOn(decision);
  }

  async function loadAndDecide(
    hash: string,
    call: CallToDecide,
    attempt: number,
  ): Promise<Decision> {
    for (let read = 1; ; read += 1) {
      const key = await deps.directory.loadKey(hash);
      const tenant = key === null ? null : await deps.entitlements.load(key.tenantId);
      if (key === null || tenant === null) {
        return denyUnknown();
      }
      // A key that changed while its tenant was loaded may have been revoked.
      if (deps.directory.peekKey(hash) === key || read === READS_MAX) {
        return await decideFor({ hash, key, tenant }, call, attempt);
      }
    }
  }

  /**
   * Decides one call: state of the key and its tenant, network, scopes, environment, calls at once, rate limits, hard limits, in
   * this order. Synchronous when everything is in memory. A decision that waited may be older than a change of its key.
   *
   * @throws {AppError} `TENANT_MOVING`; `LIMITS_UNAVAILABLE`, `DATABASE_UNAVAILABLE` or `OVERLOADED` when no decision can be had.
   */
  return function decideCall(call: CallToDecide): Decision | Promise<Decision> {
    if (deps.changesSilentMs() > STALE_RECORDS_MAX_MS) {
      throw new AppError({
        code: "LIMITS_UNAVAILABLE",
        publicMessage: "API keys cannot be decided on right now. Try again in a moment.",
        headers: { "retry-after": "5" },
      });
    }
    if (call.keyText === "") {
      return deny("MISSING_KEY", "No API key was sent.");
    }
    if (call.keyText.length > KEY_LENGTH_MAX) {
      return denyUnknown();
    }
    const hash = hashKey(call.keyText);
    const key = deps.directory.peekKey(hash);
    if (key === null || (key === undefined && !mayBeKnown(call.keyText))) {
      return denyUnknown();
    }
    const tenant = key === undefined ? undefined : deps.entitlements.peek(key.tenantId);
    return key === undefined || tenant === undefined || tenant === null
      ? loadAndDecide(hash, call, 1)
      : decideFor({ hash, key, tenant }, call, 1);
  };
}

export type DecideCall = ReturnType<typeof createDecider>;
