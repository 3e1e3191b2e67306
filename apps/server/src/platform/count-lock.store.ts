import type { Tx } from "@turnpike/db/client";

/** What an owner may have at most so many of. */
export type CountedKind = "alerts" | "documents" | "files" | "locks" | "proposals" | "webhooks";

/**
 * Makes counting and adding one step: until the end of the transaction, all others that ask for the same kind and owner wait
 * here. Asked for before counting. Without it, two that count at once both find room for the last one.
 */
export async function lockCountOf(tx: Tx, kind: CountedKind, owner: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`${kind} ${owner}`}, 0))`;
}
