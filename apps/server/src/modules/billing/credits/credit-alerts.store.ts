import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Shares at which tenants hear of their credit unless they say otherwise. */
const SHARES_DEFAULT = [50, 20, 10, 0];

/** When a tenant hears of its credit, and what it has heard since credit was added last. Amounts are minor units. */
export type CreditAlerts = {
  shares: readonly number[];
  below: bigint | null;
  /** All that was ever granted. */
  granted: bigint;
  /** What was left once credit was added last, before tax. */
  whole: bigint;
  /** The lowest share of which a notice went out since. */
  toldShare: number | null;
  toldBelow: boolean;
};

type StoredRow = Omit<CreditAlerts, "below" | "granted" | "whole"> & {
  below: string | null;
  granted: string;
  whole: string;
};

/** @returns What holds for a tenant that has set nothing and got no notice, where there is no row. */
export async function readCreditAlerts(tx: Tx, tenantId: TenantId): Promise<CreditAlerts> {
  const [row] = await tx<StoredRow[]>`
    select shares, below::text as below, granted::text as granted, whole::text as whole, told_share as "toldShare",
      told_below as "toldBelow"
    from credit_alerts where tenant_id = ${tenantId}`;
  return row === undefined
    ? {
        ...{ shares: SHARES_DEFAULT, below: null, granted: 0n, whole: 0n },
        ...{ toldShare: null, toldBelow: false },
      }
    : {
        ...row,
        below: row.below === null ? null : BigInt(row.below),
        granted: BigInt(row.granted),
        whole: BigInt(row.whole),
      };
}

/** Lets one transaction at a time read and write which notices a tenant has had: two would send one twice, or undo what a person has set. */
export async function lockCreditAlerts(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`credit alerts ${tenantId}`}, 0))`;
}

/** Needs the operator role, like all that follows. */
export async function writeCreditAlerts(
  tx: Tx,
  tenantId: TenantId,
  { shares, below, granted, whole, toldShare, toldBelow }: CreditAlerts,
): Promise<void> {
  const columns = {
    tenant_id: tenantId,
    shares: [...shares],
    below: below?.toString() ?? null,
    granted: granted.toString(),
    whole: whole.toString(),
    told_share: toldShare,
    told_below: toldBelow,
  };
  await tx`insert into credit_alerts ${tx(columns)} on conflict (tenant_id) do update set ${tx(columns)}`;
}

/** All credit that a tenant was ever granted, in minor units. */
export async function sumGranted(tx: Tx, tenantId: TenantId): Promise<bigint> {
  const [row] = await tx<{ sum: string }[]>`
    select coalesce(sum(granted), 0)::text as sum from credit_grants
    where tenant_id = ${tenantId} and environment = 'live'`;
  return BigInt(row?.sum ?? "0");
}

/** @returns Rows removed. */
export async function deleteCreditAlerts(tx: Tx, tenantId: TenantId): Promise<number> {
  const rows = await tx`delete from credit_alerts where tenant_id = ${tenantId} returning 1`;
  return rows.length;
}
