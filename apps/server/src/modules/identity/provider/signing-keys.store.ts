import type { Tx } from "@turnpike/db/client";

/** All functions here need the operator role. No other role can see the table. */
export type SigningKeyRow = {
  kid: string;
  secret_id: string;
  public_jwk: Record<string, unknown>;
  private_jwe: string;
  signs_from: Date;
  seen_at: Date;
};

/** Lets one process at a time decide on keys, until its transaction ends. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(7163025)`;
}

/** Records that a machine with this secret is alive. */
export async function touchSigningKeys(tx: Tx, secretId: string, now: Date): Promise<void> {
  await tx`update signing_keys set seen_at = ${now} where secret_id = ${secretId}`;
}

/** In the order in which they sign. */
export async function listSigningKeys(tx: Tx): Promise<SigningKeyRow[]> {
  return await tx<SigningKeyRow[]>`
    select kid, secret_id, public_jwk, private_jwe, signs_from, seen_at from signing_keys
    order by signs_from limit 1000`;
}

export async function insertSigningKey(tx: Tx, row: SigningKeyRow & { now: Date }): Promise<void> {
  await tx`
    insert into signing_keys (kid, secret_id, public_jwk, private_jwe, signs_from, seen_at, created_at)
    values (
      ${row.kid}, ${row.secret_id}, ${tx.json(row.public_jwk as never)}, ${row.private_jwe}, ${row.signs_from},
      ${row.seen_at}, ${row.now})`;
}

export async function deleteSigningKeys(tx: Tx, kids: readonly string[]): Promise<void> {
  await tx`delete from signing_keys where kid = any(${[...kids]})`;
}
