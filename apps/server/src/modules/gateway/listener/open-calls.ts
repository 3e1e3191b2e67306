import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { KeyRecord } from "#modules/keys/index.ts";
import type { Change } from "#platform/change-feed.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import { type Admission, STALE_RECORDS_MAX_MS } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import type { RecheckRights } from "../decide/recheck-rights.ts";
import type { SentCall } from "../proxy/create-proxy.ts";

export type OpenCallsDeps = {
  recheckRights: RecheckRights;
  /** How long ago the change feed was last heard, in milliseconds. */
  changesSilentMs: () => number;
  clock: Clock;
  logger: Logger;
};

/** An admitted call that is not over: an upload, a download, a WebSocket. */
export type OpenCall = {
  requestId: string;
  admission: Pick<Admission, "keyHash"> & {
    key: Pick<KeyRecord, "keyId" | "expiresAtMs">;
    tenant: Pick<Entitlement, "tenantId">;
  };
  findAddress: () => string | undefined;
  sent: Pick<SentCall, "cut">;
};

export type OpenCalls = {
  /** @param decision - `waited`: its key may have changed meanwhile, so it is asked about within a moment. */
  add(call: OpenCall, decision: "at-once" | "waited"): void;
  /** For a call that is over. */
  delete(call: OpenCall): void;
  /** Asks again about the calls that a change may concern. Subscribe it after the directories, which forget what changed. */
  applyChange(change: Change): void;
  /** True while a call of a tenant is under way. */
  hasCallsOf(tenantId: TenantId): boolean;
  /** Cuts the calls of a tenant that are under way. */
  cutCallsOf(tenantId: TenantId, why: Pick<Denial, "code" | "detail">): void;
  /** Watches the clock for keys that expire, until the signal aborts. */
  watchExpiry(signal: AbortSignal): void;
};

/** Well below the second within which an end of rights must show. */
const SWEEP_INTERVAL_MS = 250;

const OUT_OF_TOUCH: Pick<Denial, "code" | "detail"> = {
  code: "LIMITS_UNAVAILABLE",
  detail: "API keys cannot be decided on right now. Try again in a moment.",
};

/**
 * Knows the calls under way of this thread, and cuts those whose rights end: their key is revoked, disabled, expired or bound
 * to other networks, their tenant suspended, blocked or deleted. A call costs an entry in a set; only changes and a glance
 * four times a second go through all of them.
 */
export function createOpenCalls(deps: OpenCallsDeps): OpenCalls {
  /** Each with the moment when its key expires, epoch milliseconds, as far as this thread knows. */
  const expiries = new Map<OpenCall, number>();
  /** To be asked about; those that the database could not say anything about stay for the next time. */
  const doubtful = new Set<OpenCall>();
  const asking = new Set<OpenCall>();
  const changed = new Set<string>();
  let isReset = false;

  function forget(call: OpenCall): void {
    expiries.delete(call);
    doubtful.delete(call);
  }

  function cut(call: OpenCall, { code, detail }: Pick<Denial, "code" | "detail">): void {
    // Nothing more is asked about it, however long its client takes to leave.
    forget(call);
    deps.logger.info({ requestId: call.requestId, code }, "a call was cut: its rights have ended");
    call.sent.cut({ code, status: ERROR_CODES[code].status, detail });
  }

  async function ask(call: OpenCall): Promise<void> {
    asking.add(call);
    doubtful.delete(call);
    try {
      const { keyHash } = call.admission;
      const rights = await deps.recheckRights({ keyHash, findAddress: call.findAddress });
      if (!expiries.has(call)) {
        return;
      }
      if (rights.refusal === undefined) {
        expiries.set(call, rights.expiresAtMs);
      } else {
        cut(call, rights.refusal);
      }
    } catch {
      // As for a new call, what is in memory is trusted until the change feed has been silent for too long.
      if (expiries.has(call)) {
        doubtful.add(call);
      }
    } finally {
      asking.delete(call);
    }
  }

  function askAll(): void {
    for (const call of doubtful) {
      if (!asking.has(call)) {
        void ask(call);
      }
    }
  }

  function findChanged(): void {
    for (const call of expiries.keys()) {
      const { key, tenant } = call.admission;
      if (isReset || changed.has(key.keyId) || changed.has(tenant.tenantId)) {
        doubtful.add(call);
      }
    }
    changed.clear();
    isReset = false;
    askAll();
  }

  function sweep(): void {
    if (expiries.size === 0) {
      return;
    }
    const isOutOfTouch = deps.changesSilentMs() > STALE_RECORDS_MAX_MS;
    const nowMs = deps.clock.now().getTime();
    for (const [call, expiresAtMs] of expiries) {
      if (isOutOfTouch) {
        cut(call, OUT_OF_TOUCH);
      } else if (expiresAtMs <= nowMs) {
        doubtful.add(call);
      }
    }
    askAll();
  }

  return {
    add(call, decision) {
      expiries.set(call, call.admission.key.expiresAtMs);
      if (decision === "waited") {
        doubtful.add(call);
      }
    },
    delete: forget,
    applyChange(change) {
      if (expiries.size === 0 || (change.kind !== "reset" && !isOfRights(change.kind))) {
        return;
      }
      // Changes come in pages of up to a thousand: the calls are gone through once for each page.
      if (changed.size === 0 && !isReset) {
        queueMicrotask(findChanged);
      }
      if (change.kind === "reset") {
        isReset = true;
      } else {
        changed.add(change.entityId);
      }
    },
    hasCallsOf: (tenantId) =>
      [...expiries.keys()].some(({ admission }) => admission.tenant.tenantId === tenantId),
    cutCallsOf(tenantId, why) {
      for (const call of expiries.keys()) {
        if (call.admission.tenant.tenantId === tenantId) {
          cut(call, why);
        }
      }
    },
    watchExpiry(signal) {
      const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
      timer.unref();
      signal.addEventListener("abort", () => clearInterval(timer), { once: true });
    },
  };
}

function isOfRights(kind: Exclude<Change, { kind: "reset" }>["kind"]): boolean {
  return kind === "key" || kind === "tenant";
}
