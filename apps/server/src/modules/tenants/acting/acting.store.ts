import type { Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

export type ActingRow = {
  acting_id: string;
  user_id: UserId;
  tenant_id: TenantId;
  reason: string;
  started_at: Date;
  expires_at: Date;
};

/** All functions here need the operator role. No other role can see the table. */
export async function insertActing(tx: Tx, row: ActingRow): Promise<void> {
  await tx`insert into acting_sessions ${tx(row)}`;
}

/** The sessions that were not ended, of each person at most one; those that have expired are included. */
export async function listOpenActing(tx: Tx, userIds: readonly UserId[]): Promise<ActingRow[]> {
  return await tx<ActingRow[]>`
    select acting_id, user_id, tenant_id, reason, started_at, expires_at from acting_sessions
    where user_id = any(${[...userIds]}::text[]) and ended_at is null`;
}

/** @returns The session that was ended; undefined when there was none. */
export async function endOpenActing(
  tx: Tx,
  userId: UserId,
  now: Date,
): Promise<ActingRow | undefined> {
  const [row] = await tx<ActingRow[]>`
    update acting_sessions set ended_at = ${now} where user_id = ${userId} and ended_at is null
    returning acting_id, user_id, tenant_id, reason, started_at, expires_at`;
  return row;
}
