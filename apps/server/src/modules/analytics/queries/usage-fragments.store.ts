import type { UsageDimension } from "@turnpike/contract/usage-query";
import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { QueryPlan } from "./plan-query.ts";

/** Selects the rows of one meter, or of the calls of a question. */
export type Scope = {
  /** Null for all tenants, which only the operator role sees. */
  tenantId: TenantId | null;
  plan: Pick<QueryPlan, "dimensions" | "filters">;
  /** Starts of the buckets, ascending; empty without a time axis. */
  starts: readonly number[];
};

export function join(tx: Tx, parts: readonly Fragment[], glue: Fragment): Fragment {
  return (
    parts.reduce<Fragment | undefined>(
      (all, part) => (all === undefined ? part : tx`${all} ${glue} ${part}`),
      undefined,
    ) ?? tx``
  );
}

export function toInstants(epochMs: readonly number[]): string[] {
  return epochMs.map((ms) => new Date(ms).toISOString());
}

/** Dimensions are columns `d0`, `d1` and so on, so that no caller chooses a name. */
function columnOf(tx: Tx, index: number): Fragment {
  return tx`${tx(`d${String(index)}`)}`;
}

export function columnsOf(tx: Tx, dimensions: readonly UsageDimension[]): Fragment[] {
  return dimensions.map((_, index) => columnOf(tx, index));
}

/** The columns of a group: bucket and dimensions. */
export function groupKeyOf(tx: Tx, dimensions: readonly UsageDimension[]): Fragment {
  return join(tx, [tx`bucket`, ...columnsOf(tx, dimensions)], tx`,`);
}

/** The columns of a group in grouping sets, where the total has no bucket and no values. */
export function namedGroupKeyOf(tx: Tx, dimensions: readonly UsageDimension[]): Fragment {
  const named = columnsOf(tx, dimensions).map(
    (column) => tx`, coalesce(${column}, '') as ${column}`,
  );
  return tx`grouping(bucket) = 1 as is_total, coalesce(bucket, -1) as bucket ${join(tx, named, tx``)}`;
}

export function bucketOf(tx: Tx, starts: readonly number[]): Fragment {
  return starts.length === 0
    ? tx`0`
    : tx`width_bucket(r.occurred_at, ${toInstants(starts)}::timestamptz[])`;
}

/** The plan of a tenant, empty without one. */
export const planOf = (tx: Tx, tenantId: Fragment): Fragment =>
  tx`coalesce((select e.plan_id from entitlements e where e.tenant_id = ${tenantId}), '')`;

/** Restricts rows to a tenant, or to some tenants and plans. */
export function tenantFilterOf(tx: Tx, { tenantId, plan }: Scope): Fragment {
  const { tenant, plan: plans } = plan.filters;
  const parts = [
    tenantId === null ? undefined : tx`and r.tenant_id = ${tenantId}`,
    tenant && tx`and r.tenant_id = any(${tenant}::text[])`,
    plans &&
      tx`and r.tenant_id in (select e.tenant_id from entitlements e where e.plan_id = any(${plans}::text[]))`,
  ].filter((part) => part !== undefined);
  return join(tx, parts, tx``);
}
