import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";

export type DeviceSignInRow = {
  name: string;
  address: string;
  state: "waiting" | "allowed" | "denied";
  user_id: UserId | null;
  interval_seconds: number;
  polled_at: Date | null;
  created_at: Date;
  expires_at: Date;
};

const COLUMNS = [
  "name",
  "address",
  "state",
  "user_id",
  "interval_seconds",
  "polled_at",
  "created_at",
  "expires_at",
] as const;

export async function insertDeviceSignIn(
  tx: Tx,
  row: DeviceSignInRow & { device_hash: Uint8Array; user_code_hash: Uint8Array },
): Promise<void> {
  await tx`
    insert into device_sign_ins ${tx(
      {
        ...row,
        device_hash: Buffer.from(row.device_hash),
        user_code_hash: Buffer.from(row.user_code_hash),
      },
      "device_hash",
      "user_code_hash",
      ...COLUMNS,
    )}`;
}

/** Locked until the end of the transaction. */
export async function lockByDevice(
  tx: Tx,
  deviceHash: Uint8Array,
): Promise<DeviceSignInRow | undefined> {
  const [row] = await tx<DeviceSignInRow[]>`
    select ${tx(COLUMNS)} from device_sign_ins
    where device_hash = ${Buffer.from(deviceHash)} for update`;
  return row;
}

/** Locked until the end of the transaction. */
export async function lockByUserCode(
  tx: Tx,
  userCodeHash: Uint8Array,
): Promise<DeviceSignInRow | undefined> {
  const [row] = await tx<DeviceSignInRow[]>`
    select ${tx(COLUMNS)} from device_sign_ins
    where user_code_hash = ${Buffer.from(userCodeHash)} for update`;
  return row;
}

export async function savePoll(
  tx: Tx,
  deviceHash: Uint8Array,
  row: Pick<DeviceSignInRow, "polled_at" | "interval_seconds">,
): Promise<void> {
  await tx`
    update device_sign_ins set ${tx(row, "polled_at", "interval_seconds")}
    where device_hash = ${Buffer.from(deviceHash)}`;
}

export async function saveDecision(
  tx: Tx,
  userCodeHash: Uint8Array,
  row: Pick<DeviceSignInRow, "state" | "user_id">,
): Promise<void> {
  await tx`
    update device_sign_ins set ${tx(row, "state", "user_id")}
    where user_code_hash = ${Buffer.from(userCodeHash)}`;
}

export async function deleteDeviceSignIn(tx: Tx, deviceHash: Uint8Array): Promise<void> {
  await tx`delete from device_sign_ins where device_hash = ${Buffer.from(deviceHash)}`;
}

/** Deletes what a person has looked at or decided on. */
export async function deleteDeviceSignInsOf(tx: Tx, userId: UserId): Promise<void> {
  await tx`delete from device_sign_ins where user_id = ${userId}`;
}

/** Deletes what expired before. @returns How many. */
export async function deleteExpiredDeviceSignIns(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    delete from device_sign_ins where device_hash in (
      select device_hash from device_sign_ins where expires_at < ${before} limit ${limit})
    returning 1`;
  return rows.length;
}
