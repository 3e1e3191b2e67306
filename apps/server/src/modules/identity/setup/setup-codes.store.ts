import type { Tx } from "@turnpike/db/client";

/**
 * Lets one transaction at a time offer or claim, until its end. Otherwise a start that races another, or a claim, could leave a second
 * claimable code.
 */
export async function lockSetupCodes(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(7163024)`;
}

/** True if a code was claimed: then no new code is offered. */
export async function isClaimed(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ claimed: boolean }[]>`
    select exists (select 1 from setup_codes where claimed_at is not null) as claimed`;
  return row?.claimed === true;
}

/** The salt of the code that can be claimed now, if there is one. */
export async function findOpenSalt(tx: Tx): Promise<Uint8Array | undefined> {
  const [row] = await tx<{ salt: Uint8Array | null }[]>`
    select salt from setup_codes where claimed_at is null`;
  return row?.salt ?? undefined;
}

/** Makes `hash` the only claimable code. */
export async function replaceSetupCode(
  tx: Tx,
  { hash, salt, now }: { hash: Uint8Array; salt: Uint8Array; now: Date },
): Promise<void> {
  await tx`delete from setup_codes where claimed_at is null`;
  await tx`
    insert into setup_codes (code_hash, salt, created_at)
    values (${Buffer.from(hash)}, ${Buffer.from(salt)}, ${now})`;
}

/** True if the code can be claimed now. */
export async function isSetupCodeOpen(tx: Tx, hash: Uint8Array): Promise<boolean> {
  const rows = await tx`
    select 1 from setup_codes where code_hash = ${Buffer.from(hash)} and claimed_at is null`;
  return rows.length === 1;
}

/** Claims the code. A single statement, so that of any number of claims one succeeds. */
export async function markSetupCodeClaimed(
  tx: Tx,
  input: { hash: Uint8Array; by: string; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update setup_codes set claimed_at = ${input.now}, claimed_by = ${input.by}
    where code_hash = ${Buffer.from(input.hash)} and claimed_at is null
    returning 1`;
  return rows.length === 1;
}
