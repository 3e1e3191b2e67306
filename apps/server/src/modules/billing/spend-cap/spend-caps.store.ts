import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Caps on what a tenant spends in a billing period, in minor units. */
export type SpendCapRow = {
  currency: string;
  tenantCap: bigint | null;
  operatorCap: bigint | null;
  /** Shares of the smaller cap, in per cent, at which notices go out; in order. */
  shares: readonly number[];
  updatedAt: Date | null;
};

type StoredRow = {
  currency: string;
  tenantCap: string | null;
  operatorCap: string | null;
  shares: number[];
  updatedAt: Date;
};

const toMinor = (text: string | null) => (text === null ? null : BigInt(text));

export async function findSpendCap(tx: Tx, tenantId: TenantId): Promise<SpendCapRow | undefined> {
  const [row] = await tx<StoredRow[]>`
    select currency, tenant_cap::text as "tenantCap", operator_cap::text as "operatorCap", shares, updated_at as "updatedAt"
    from spend_caps where tenant_id = ${tenantId}`;
  return row === undefined
    ? undefined
    : { ...row, tenantCap: toMinor(row.tenantCap), operatorCap: toMinor(row.operatorCap) };
}

/** Needs the operator role, like all that follows. */
export async function writeSpendCap(
  tx: Tx,
  tenantId: TenantId,
  { row, now }: { row: SpendCapRow; now: Date },
): Promise<void> {
  const columns = {
    tenant_id: tenantId,
    currency: row.currency,
    tenant_cap: row.tenantCap?.toString() ?? null,
    operator_cap: row.operatorCap?.toString() ?? null,
    shares: [...row.shares],
    updated_at: now,
  };
  await tx`insert into spend_caps ${tx(columns)} on conflict (tenant_id) do update set ${tx(columns)}`;
}

/** Records shares that a tenant has passed in a period. @returns Those that were not recorded before. */
export async function insertAlerts(
  tx: Tx,
  tenantId: TenantId,
  { periodFrom, shares, now }: { periodFrom: Date; shares: readonly number[]; now: Date },
): Promise<number[]> {
  const rows = await tx<{ share: number }[]>`
    insert into spend_alerts (tenant_id, period_from, share, told_at)
    select ${tenantId}, ${periodFrom}, share, ${now} from unnest(${[...shares]}::int[]) as input (share)
    on conflict do nothing
    returning share`;
  return rows.map(({ share }) => share).sort((a, b) => a - b);
}

/** Deletes what is only about periods that began before an instant. @returns Rows removed. */
export async function deleteOldAlerts(tx: Tx, before: Date): Promise<number> {
  const rows = await tx`delete from spend_alerts where period_from < ${before} returning 1`;
  return rows.length;
}

/** @returns Rows removed. */
export async function deleteSpendCap(tx: Tx, tenantId: TenantId): Promise<number> {
  const caps = await tx`delete from spend_caps where tenant_id = ${tenantId} returning 1`;
  const alerts = await tx`delete from spend_alerts where tenant_id = ${tenantId} returning 1`;
  return caps.length + alerts.length;
}
