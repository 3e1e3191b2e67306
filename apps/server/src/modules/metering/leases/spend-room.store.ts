import { instantsLiteral } from "@turnpike/db/array-literal";
import type { Tx } from "@turnpike/db/client";
import type { LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { toScaled } from "@turnpike/domain/money/decimal";

/** A meter from an instant on. */
export type MeterSince = { meterId: string; fromMs: number };

/** What a tenant has used of a meter in an environment, and what leases hold of it, scaled. */
export type ReservedMeter = {
  meterId: string;
  /** Committed, in balances that end after an instant. */
  used: bigint;
  /** Held by leases of any period: active, forfeited and those of locks. */
  held: bigint;
  /** How much of these by active leases of others. */
  heldElsewhere: bigint;
};

/**
 * Reads what is reserved of meters, in one snapshot: a commit moves units from a lease to a balance, and both are seen or neither.
 *
 * @param input.endsAfterMs - Balances that ended before do not change what is used since.
 * @param input.own - The lease of the caller, if it has one.
 */
export async function listReserved(
  tx: Tx,
  input: {
    tenantId: TenantId;
    environment: Environment;
    meterIds: readonly string[];
    endsAfterMs: number;
    own: LeaseId | undefined;
  },
): Promise<ReservedMeter[]> {
  const { tenantId, environment, meterIds, endsAfterMs, own } = input;
  const rows = await tx<{ meter_id: string; used: string; held: string; held_elsewhere: string }[]>`
    select m.meter_id, b.used::text as used, l.held::text as held, l.held_elsewhere::text as held_elsewhere
    from unnest(${[...meterIds]}::text[]) as m (meter_id)
      cross join lateral (
        select coalesce(sum(used), 0) as used from balances
        where tenant_id = ${tenantId} and meter_id = m.meter_id and environment = ${environment}
          and period_end > ${new Date(endsAfterMs)}
      ) b
      cross join lateral (
        select coalesce(sum(remaining), 0) as held,
          coalesce(sum(remaining) filter (
            where state = 'active' and expires_at > now() and lease_id is distinct from ${own ?? null}
          ), 0) as held_elsewhere
        from leases
        where tenant_id = ${tenantId} and meter_id = m.meter_id and environment = ${environment} and key_id is null
      ) l`;
  return rows.map((row) => ({
    meterId: row.meter_id,
    used: toScaled(row.used),
    held: toScaled(row.held),
    heldElsewhere: toScaled(row.held_elsewhere),
  }));
}

/**
 * Reads what was used of meters since an instant each and was recorded after another, together with their balances, in one snapshot.
 *
 * @returns At the places of `meters`, scaled.
 */
export async function listFreshUse(
  tx: Tx,
  input: {
    tenantId: TenantId;
    environment: Environment;
    meters: readonly MeterSince[];
    recordedAfter: Date;
    endsAfterMs: number;
  },
): Promise<{ fresh: bigint; balance: bigint }[]> {
  const { tenantId, environment, meters, recordedAfter, endsAfterMs } = input;
  const rows = await tx<{ fresh: string; balance: string }[]>`
    select e.fresh::text as fresh, b.used::text as balance
    from unnest(${meters.map(({ meterId }) => meterId)}::text[],
        ${instantsLiteral(meters.map(({ fromMs }) => fromMs))}::text::timestamptz[]) with ordinality as m (meter_id, from_at, place)
      cross join lateral (
        select coalesce(sum(quantity), 0) as fresh from ledger_entries
        where tenant_id = ${tenantId} and meter_id = m.meter_id and environment = ${environment}
          and occurred_at >= m.from_at and recorded_at > ${recordedAfter}
      ) e
      cross join lateral (
        select coalesce(sum(used), 0) as used from balances
        where tenant_id = ${tenantId} and meter_id = m.meter_id and environment = ${environment}
          and period_end > ${new Date(endsAfterMs)}
      ) b
    order by m.place`;
  return rows.map(({ fresh, balance }) => ({ fresh: toScaled(fresh), balance: toScaled(balance) }));
}
