import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import { deleteExpiredLinks } from "../accounts/accounts.store.ts";
import { deleteExpiredDeviceSignIns } from "../devices/device-sign-ins.store.ts";
import { deleteExpiredPersonTokens } from "../devices/person-tokens.store.ts";
import { deleteExpiredFactorSteps } from "../factors/factor-steps.store.ts";
import { deleteExpiredIdentityAttempts } from "../identities/identities.store.ts";
import {
  deleteExpiredLogoutTokens,
  deleteExpiredSessions,
} from "../logout/provider-sessions.store.ts";
import { deleteExpiredSignIns } from "../sign-ins/sign-ins.store.ts";
import { dropDeletedSubjects } from "../users/users.store.ts";
import { deleteExpiredRecords } from "./oidc-records.store.ts";

/** Rows in one transaction: few enough that its locks are short. */
const BATCH_SIZE = 1_000;
/** No older token is accepted, from any provider. */
const TOKEN_LIFETIME_MS_MAX = 25 * 60 * 60 * 1_000;
/** Rows in one run. The next run deletes the others. */
const BATCHES_MAX = 500;

/**
 * Deletes expired sessions, codes, tokens, links and sign-ins of command lines, in short transactions.
 *
 * @returns Rows deleted.
 */
export async function pruneExpired(
  deps: Pick<AppServices, "transact" | "clock">,
  options: { batchSize?: number; signal?: AbortSignal } = {},
): Promise<number> {
  const batchSize = options.batchSize ?? BATCH_SIZE;
  const before = deps.clock.now();
  const kinds: readonly ((tx: Tx) => Promise<number>)[] = [
    (tx) => deleteExpiredRecords(tx, before, batchSize),
    (tx) => deleteExpiredLinks(tx, before, batchSize),
    (tx) => deleteExpiredFactorSteps(tx, before, batchSize),
    (tx) => deleteExpiredDeviceSignIns(tx, before, batchSize),
    (tx) => deleteExpiredPersonTokens(tx, before, batchSize),
    (tx) => deleteExpiredIdentityAttempts(tx, before, batchSize),
    (tx) => deleteExpiredSignIns(tx, before, batchSize),
    (tx) => deleteExpiredSessions(tx, before, batchSize),
    (tx) => deleteExpiredLogoutTokens(tx, before, batchSize),
    (tx) => dropDeletedSubjects(tx, new Date(before.getTime() - TOKEN_LIFETIME_MS_MAX), batchSize),
  ];
  let deleted = 0;
  for (const deleteBatch of kinds) {
    for (let batch = 0; batch < BATCHES_MAX && options.signal?.aborted !== true; batch += 1) {
      const count = await deps.transact.asOperator(deleteBatch);
      deleted += count;
      if (count < batchSize) {
        break;
      }
    }
  }
  return deleted;
}
