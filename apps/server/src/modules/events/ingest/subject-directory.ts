import type { Tx } from "@turnpike/db/client";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { listEntitlements } from "#modules/entitlements/index.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { ChangeListener } from "#platform/change-feed.ts";
import { createRecordCache, LOAD_BATCH_MAX } from "#platform/record-cache.ts";
import type { Transact } from "#platform/transact.ts";
import { findSubjects, type SubjectRow } from "../events.store.ts";

/** The tenant of an event. */
export type Subject = Pick<Entitlement, "tenantId" | "periodAnchor" | "periodUnit" | "isMoving">;

export type SubjectDirectory = {
  /** Finds tenants by id or by the operator's name for them; null if there is none. */
  find(names: ReadonlySet<string>): Promise<ReadonlyMap<string, Subject | null>>;
  applyChange: ChangeListener;
};

const RECORDS_MAX = 100_000;
const MISSES_MAX = 50_000;
const MISS_TTL_MS = 10_000;
const LOADS_MAX = 2;
const LOADS_WAITING_MAX = 20_000;
const LOAD_TIMEOUT_MS = 5_000;

type Named = Subject & { name: string };

/** An id always means its own tenant, even if the operator uses it as the name of another. */
function toNamed(
  names: readonly string[],
  input: { rows: readonly SubjectRow[]; entitlements: ReadonlyMap<TenantId, Entitlement> },
): Map<string, Named> {
  const found = new Map<string, Named>();
  const asked = new Set(names);
  for (const { tenant_id: tenantId, external_id } of input.rows) {
    const entitlement = input.entitlements.get(tenantId);
    if (entitlement === undefined) {
      continue;
    }
    const { periodAnchor, periodUnit, isMoving } = entitlement;
    for (const name of [external_id, tenantId]) {
      if (name !== null && asked.has(name) && (name === tenantId || !found.has(name))) {
        found.set(name, { name, tenantId, periodAnchor, periodUnit, isMoving });
      }
    }
  }
  return found;
}

async function loadSubjects(tx: Tx, names: readonly string[]): Promise<Map<string, Named>> {
  const rows = await findSubjects(tx, names);
  const listed = await listEntitlements(
    tx,
    rows.map((row) => row.tenant_id),
  );
  const entitlements = new Map(listed.map((each) => [each.tenantId, each]));
  return toNamed(names, { rows, entitlements });
}

export function createSubjectDirectory(deps: {
  transact: Transact;
  monotonicMs: () => number;
}): SubjectDirectory {
  const cache = createRecordCache<Named>({
    recordsMax: RECORDS_MAX,
    missesMax: MISSES_MAX,
    missTtlMs: MISS_TTL_MS,
    loadsMax: LOADS_MAX,
    loadsWaitingMax: LOADS_WAITING_MAX,
    waitMsMax: LOAD_TIMEOUT_MS,
    monotonicMs: deps.monotonicMs,
    // One tenant may be cached under two names. They are separate entries, and a change of any tenant clears the cache.
    idOf: ({ name }) => name,
    load: async (names) =>
      await withTimeout(
        deps.transact.asOperator((tx) => loadSubjects(tx, names)),
        LOAD_TIMEOUT_MS,
      ),
  });

  return {
    find: async (names) => {
      const found = new Map<string, Subject | null>();
      const missing: string[] = [];
      for (const name of names) {
        const known = cache.peek(name);
        if (known === undefined) {
          missing.push(name);
        } else {
          found.set(name, known);
        }
      }
      for (let start = 0; start < missing.length; start += LOAD_BATCH_MAX) {
        const part = missing.slice(start, start + LOAD_BATCH_MAX);
        const subjects = await Promise.all(part.map((name) => cache.get(name)));
        for (const [place, name] of part.entries()) {
          found.set(name, subjects[place] ?? null);
        }
      }
      return found;
    },
    applyChange: (change) => {
      if (change.kind === "tenant" || change.kind === "reset") {
        // Tenants rarely change, and a name may have moved to another tenant.
        cache.clear();
      }
    },
  };
}
