import type { Tx } from "@turnpike/db/client";

/** Every function here is for the operator role: no other may see the table. */
export type SigningKeyRow = {
  kid: string;
  public_jwk: Record<string, unknown>;
  private_jwe: string;
  signs_from: Date;
};

/** Lets one process at a time decide on keys, until its transaction ends. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(7163025)`;
}

/** In the order in which they sign. */
export async function listSigningKeys(tx: Tx): Promise<SigningKeyRow[]> {
  return await tx<SigningKeyRow[]>`
    select kid, public_jwk, private_jwe, signs_from from signing_keys order by signs_from limit 100`;
}

export async function insertSigningKey(tx: Tx, row: SigningKeyRow & { now: Date }): Promise<void> {
  await tx`
    insert into signing_keys (kid, public_jwk, private_jwe, signs_from, created_at)
    values (${row.kid}, ${tx.json(row.public_jwk as never)}, ${row.private_jwe}, ${row.signs_from}, ${row.now})`;
}

export async function deleteSigningKeys(tx: Tx, kids: readonly string[]): Promise<void> {
  await tx`delete from signing_keys where kid = any(${[...kids]})`;
}
