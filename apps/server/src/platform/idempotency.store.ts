import type { Tx } from "@turnpike/db/client";

/** Names one request of one caller. */
export type IdempotencyName = { actor: string; operation: string; key: string };

export type IdempotencyRow = {
  request_hash: Uint8Array;
  /** Null, like the body, while the first attempt is under way. */
  status: number | null;
  body: string | null;
};

/**
 * Claims a name that is free, too old to be remembered, or whose attempt for the same request never came to an end.
 *
 * @returns False when it is taken.
 */
export async function claimIdempotencyKey(
  tx: Tx,
  name: IdempotencyName,
  input: { requestHash: Uint8Array; claimId: string; rememberSeconds: number; lostSeconds: number },
): Promise<boolean> {
  const rows = await tx`
    insert into idempotency_records as r
      (actor, operation, idempotency_key, request_hash, claim_id, claimed_at, created_at)
    values (${name.actor}, ${name.operation}, ${name.key}, ${Buffer.from(input.requestHash)}, ${input.claimId}, now(), now())
    on conflict (actor, operation, idempotency_key) do update
      set request_hash = excluded.request_hash, claim_id = excluded.claim_id, claimed_at = excluded.claimed_at,
        created_at = excluded.created_at, status = null, body = null
      where r.created_at < now() - make_interval(secs => ${input.rememberSeconds})
        or (r.status is null and r.request_hash = excluded.request_hash
          and r.claimed_at < now() - make_interval(secs => ${input.lostSeconds}))
    returning 1`;
  return rows.length === 1;
}

export async function findIdempotencyRow(
  tx: Tx,
  name: IdempotencyName,
): Promise<IdempotencyRow | undefined> {
  const [row] = await tx<IdempotencyRow[]>`
    select request_hash, status, body from idempotency_records
    where actor = ${name.actor} and operation = ${name.operation} and idempotency_key = ${name.key}`;
  return row;
}

/** Keeps the answer of the attempt that holds the claim; an attempt that lost it keeps nothing. */
export async function keepAnswer(
  tx: Tx,
  name: IdempotencyName,
  answer: { claimId: string; status: number; body: string },
): Promise<void> {
  await tx`
    update idempotency_records set status = ${answer.status}, body = ${answer.body}
    where actor = ${name.actor} and operation = ${name.operation} and idempotency_key = ${name.key}
      and claim_id = ${answer.claimId}`;
}

/** Frees the name after an attempt without a decision, so that the next one may try. */
export async function dropClaim(tx: Tx, name: IdempotencyName, claimId: string): Promise<void> {
  await tx`
    delete from idempotency_records
    where actor = ${name.actor} and operation = ${name.operation} and idempotency_key = ${name.key}
      and claim_id = ${claimId} and status is null`;
}

/** Forgets the oldest of what is older than `seconds`, at most `rowsMax`. @returns How many. */
export async function deleteOldIdempotencyRows(
  tx: Tx,
  seconds: number,
  rowsMax: number,
): Promise<number> {
  const rows = await tx`
    delete from idempotency_records
    where (actor, operation, idempotency_key) in (
      select actor, operation, idempotency_key from idempotency_records
      where created_at < now() - make_interval(secs => ${seconds})
      order by created_at limit ${rowsMax}
    )
    returning 1`;
  return rows.length;
}
