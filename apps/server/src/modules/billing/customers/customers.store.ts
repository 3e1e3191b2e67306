import type { Fragment, Tx } from "@turnpike/db/client";
import type { Standing } from "@turnpike/domain/entitlements/standing";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The columns by which customers are sorted, the largest value first. */
const SORT_COLUMNS = {
  usage: "used",
  quota: "quota_share",
  activity: "last_used_at",
  revenue: "revenue_size",
} as const;
export type CustomerSort = "newest" | keyof typeof SORT_COLUMNS;

export type CustomerRow = {
  tenantId: TenantId;
  standing: Standing;
  used: string;
  /** Thousandths; -1 without a quota. */
  quotaShare: number;
  /** Null: never. */
  lastUsedAt: Date | null;
  /** Minor units. */
  revenue: string;
  currency: string | null;
  /** The value that it is sorted by, as text; empty by age. */
  place: string;
};

export type CustomerFilter = {
  /** Part of name or slug, the id, or with an @ part of a member's address. */
  text: string | undefined;
  planId: string | undefined;
  standing: Standing | undefined;
  isSuspended: boolean | undefined;
};

export type CustomerPlace = { value: string; tenantId: TenantId };

/** Escapes the characters that have a meaning in a pattern. */
function toPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

function matchText(tx: Tx, text: string): Fragment {
  const pattern = toPattern(text);
  return text.includes("@")
    ? tx`f.tenant_id in (select m.tenant_id from members m join users u using (user_id) where u.email ilike ${pattern})`
    : tx`(t.name ilike ${pattern} or t.slug ilike ${pattern} or t.tenant_id = ${text})`;
}

function readAfter(tx: Tx, sort: CustomerSort, after: CustomerPlace): Fragment {
  if (sort === "newest") {
    return tx`and f.tenant_id < ${after.tenantId}`;
  }
  const column = tx(SORT_COLUMNS[sort]);
  const value = sort === "activity" ? tx`${after.value}::timestamptz` : tx`${after.value}::numeric`;
  return tx`and (f.${column}, f.tenant_id) < (${value}, ${after.tenantId}::text)`;
}

/** Tenants with their figures, the largest first; of equal ones the newest. Needs the operator role. */
export async function listCustomerRows(
  tx: Tx,
  input: CustomerFilter & {
    sort: CustomerSort;
    after: CustomerPlace | undefined;
    limit: number;
  },
): Promise<CustomerRow[]> {
  const { text, planId, standing, isSuspended, sort, after, limit } = input;
  const sorted = sort === "newest" ? undefined : tx`f.${tx(SORT_COLUMNS[sort])}`;
  return await tx<CustomerRow[]>`
    select f.tenant_id as "tenantId", e.standing, f.used::text as used, f.quota_share::int as "quotaShare",
      nullif(f.last_used_at, '-infinity') as "lastUsedAt", f.revenue::text as revenue, f.currency,
      ${sorted === undefined ? tx`''` : tx`${sorted}::text`} as place
    from tenant_figures f join tenants t using (tenant_id) join tenant_entitlements e using (tenant_id)
    where true
      ${text === undefined ? tx`` : tx`and ${matchText(tx, text)}`}
      ${planId === undefined ? tx`` : tx`and e.plan_id = ${planId}`}
      ${standing === undefined ? tx`` : tx`and e.standing = ${standing}`}
      ${isSuspended === undefined ? tx`` : tx`and (t.suspended_at is not null) = ${isSuspended}`}
      ${after === undefined ? tx`` : readAfter(tx, sort, after)}
    order by ${sorted === undefined ? tx`` : tx`${sorted} desc,`} f.tenant_id desc
    limit ${limit}`;
}
