import { hash } from "node:crypto";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { NewId } from "@turnpike/domain/ids/ids";
import {
  claimIdempotencyKey,
  deleteOldIdempotencyRows,
  dropClaim,
  findIdempotencyRow,
  type IdempotencyName,
  keepAnswer,
} from "./idempotency.store.ts";
import type { Logger } from "./logger.ts";
import type { Transact } from "./transact.ts";

export type RunOnceDeps = { transact: Transact; newId: NewId; logger: Logger };

/** An answer as it goes out, byte for byte. */
export type StoredAnswer = { status: number; body: string; isReplay: boolean };

/** How long an answer is given again. */
export const IDEMPOTENCY_SECONDS = 24 * 3600;
/** An attempt that has not ended after so long died with its process: its request may be tried again. */
const LOST_SECONDS = 60;
const RETRY_AFTER_SECONDS = 1;
const DELETED_A_RUN_MAX = 50_000;

const KEY = /^[\x20-\x7e]{1,255}$/;

function assertKey(key: string): void {
  if (!KEY.test(key)) {
    const message = "1 to 255 printable ASCII characters.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: `Idempotency-Key: ${message}`,
      errors: [{ pointer: "/Idempotency-Key", message }],
    });
  }
}

/** What is known about a name that another call has claimed. */
async function findAnswer(
  deps: RunOnceDeps,
  name: IdempotencyName,
  requestHash: Uint8Array,
): Promise<StoredAnswer> {
  const row = await deps.transact.asOperator((tx) => findIdempotencyRow(tx, name));
  if (row !== undefined && Buffer.compare(row.request_hash, requestHash) !== 0) {
    throw new AppError({
      code: "IDEMPOTENCY_KEY_REUSED",
      publicMessage: "This Idempotency-Key was used for another request.",
    });
  }
  if (row === undefined || row.status === null || row.body === null) {
    throw new AppError({
      code: "IDEMPOTENCY_KEY_IN_USE",
      publicMessage: "A request with this Idempotency-Key is under way.",
      headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
    });
  }
  return { status: row.status, body: row.body, isReplay: true };
}

/**
 * Does something once for each key of a caller: a request that comes again within a day gets the bytes of the first answer.
 * A failure is no answer, so after one the request may be tried again.
 *
 * A process that dies between the decision and the keeping of its answer leaves the key claimed for a minute; who comes
 * after it is decided anew.
 *
 * @param input.request - What must be the same when the key comes again; without secrets of its own it is only hashed.
 * @throws {AppError} `INVALID_REQUEST` (the key), `IDEMPOTENCY_KEY_REUSED` (another request), `IDEMPOTENCY_KEY_IN_USE` (the
 *   first attempt is under way), and what `work` throws.
 */
export async function runOnce(
  deps: RunOnceDeps,
  context: CallContext,
  input: { operation: string; key: string; request: unknown },
  work: () => Promise<{ status: number; body: string }>,
): Promise<StoredAnswer> {
  assertKey(input.key);
  const actor = `${context.actor.type}:${context.actor.id}`;
  const name: IdempotencyName = { actor, operation: input.operation, key: input.key };
  const requestHash = Buffer.from(hash("sha256", JSON.stringify(input.request), "hex"), "hex");
  const claimId = deps.newId("request");
  const isOurs = await deps.transact.asOperator((tx) =>
    claimIdempotencyKey(tx, name, {
      requestHash,
      claimId,
      rememberSeconds: IDEMPOTENCY_SECONDS,
      lostSeconds: LOST_SECONDS,
    }),
  );
  if (!isOurs) {
    return await findAnswer(deps, name, requestHash);
  }
  let answer: { status: number; body: string };
  try {
    answer = await work();
  } catch (error) {
    await deps.transact
      .asOperator((tx) => dropClaim(tx, name, claimId))
      .catch((cause: unknown) =>
        deps.logger.warn({ err: cause }, "An idempotency key stays claimed for a minute"),
      );
    throw error;
  }
  try {
    await deps.transact.asOperator((tx) => keepAnswer(tx, name, { ...answer, claimId }));
  } catch (error) {
    // What was decided and taken is true, whether the database can remember the answer or not.
    deps.logger.warn({ err: error }, "The answer of an idempotency key could not be kept");
  }
  return { ...answer, isReplay: false };
}

/** Forgets answers that are no longer given again; a bounded number at a time. @returns How many. */
export async function forgetOldAnswers(deps: Pick<RunOnceDeps, "transact">): Promise<number> {
  return await deps.transact.asOperator((tx) =>
    deleteOldIdempotencyRows(tx, IDEMPOTENCY_SECONDS, DELETED_A_RUN_MAX),
  );
}
