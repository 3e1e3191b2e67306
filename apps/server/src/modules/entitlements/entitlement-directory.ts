import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { ChangeListener } from "#platform/change-feed.ts";
import { createRecordCache } from "#platform/record-cache.ts";
import type { Transact } from "#platform/transact.ts";
import { listEntitlements } from "./entitlements.store.ts";

/** What tenants may do, from memory: for decisions that cannot wait for a query. */
export type EntitlementDirectory = {
  /** From memory: `undefined` when it must be loaded, `null` for a tenant known not to exist. */
  peek(tenantId: TenantId): Entitlement | null | undefined;
  load(tenantId: TenantId): Promise<Entitlement | null>;
  /** Forgets that there is no such tenant, so that it is looked for again. */
  forgetMiss(tenantId: TenantId): void;
  /** Forgets what a change may have made untrue. */
  applyChange: ChangeListener;
};

/** Tenants held in memory, each about 1 kB; further ones are loaded again. */
const RECORDS_MAX = 1_000_000;
/** Unknown tenants remembered, and for how long. A key names its tenant, so there are hardly any. */
const MISSES_MAX = 50_000;
const MISS_TTL_MS = 10_000;
/** Loads under way at once; a start with many tenants must not take every connection. */
const LOADS_MAX = 8;
const LOADS_WAITING_MAX = 2_000;
const LOAD_TIMEOUT_MS = 5_000;

/**
 * Keeps what tenants may do in memory and loads it on a miss. A change of the tenant drops its record, so that a new plan or
 * standing is in effect on every process within a second.
 */
export function createEntitlementDirectory(deps: {
  transact: Transact;
  monotonicMs: () => number;
}): EntitlementDirectory {
  const cache = createRecordCache<Entitlement>({
    recordsMax: RECORDS_MAX,
    missesMax: MISSES_MAX,
    missTtlMs: MISS_TTL_MS,
    loadsMax: LOADS_MAX,
    loadsWaitingMax: LOADS_WAITING_MAX,
    waitMsMax: LOAD_TIMEOUT_MS,
    monotonicMs: deps.monotonicMs,
    idOf: ({ tenantId }) => tenantId,
    load: async (tenantIds) => {
      // Times out before the connection does, so that a caller has its answer within seconds.
      const loaded = await withTimeout(
        deps.transact.asOperator((tx) => listEntitlements(tx, tenantIds as readonly TenantId[])),
        LOAD_TIMEOUT_MS,
      );
      return new Map(loaded.map((each) => [each.tenantId, each]));
    },
  });

  return {
    peek: cache.peek,
    load: cache.get,
    forgetMiss: cache.forgetMiss,
    applyChange: (change) => {
      // A new version of a plan changes no tenant: versions never change, and a tenant that moves is a change of its own.
      if (change.kind === "tenant") {
        cache.forget(change.entityId);
      } else if (change.kind === "reset") {
        cache.clear();
      }
    },
  };
}
