import type { Tx } from "@turnpike/db/client";

/** True when an operator exists or a code was claimed: then no new code is offered. */
export async function isClaimed(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ claimed: boolean }[]>`
    select exists (select 1 from setup_codes where claimed_at is not null) as claimed`;
  return row?.claimed === true;
}

/** Makes `hash` the only code that can be claimed. */
export async function replaceSetupCode(tx: Tx, hash: Uint8Array, now: Date): Promise<void> {
  await tx`delete from setup_codes where claimed_at is null`;
  await tx`insert into setup_codes (code_hash, created_at) values (${Buffer.from(hash)}, ${now})`;
}

/** Claims the code; one statement, so that of any number of claims one succeeds. */
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
