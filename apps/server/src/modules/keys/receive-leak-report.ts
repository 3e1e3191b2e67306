import { hash } from "node:crypto";
import type { LeakedToken, LeakFeedback } from "@turnpike/contract/leaks";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { isId } from "@turnpike/domain/ids/ids";
import { KEY_IN_TEXT } from "@turnpike/domain/keys/key-format";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { hashKey } from "./hash-key.ts";
import {
  INSTALLATION,
  insertLeaks,
  type LeakedKeyRow,
  type LeakRow,
  listKeysByHash,
  revokeLeakedKeys,
} from "./leaks.store.ts";
import { notifyOfLeaksJob } from "./notify-of-leaks.ts";

export type LeakPolicy = "notify" | "revoke";

export type LeakDeps = AppServices & { jobs: JobQueue; policy: LeakPolicy };

const URL_LENGTH_MAX = 2_000;
const SOURCE_LENGTH_MAX = 40;
const BLOT = "[key]";
/** Redacting a shorter text would remove half of every address. */
const BLOTTED_LENGTH_MIN = 8;

/** The location in a report, with the key redacted: a file or a line may contain it. */
function toPlaceText(text: string, token: string, lengthMax: number): string {
  const blotted =
    token.length < BLOTTED_LENGTH_MIN
      ? text
      : text.replaceAll(token, BLOT).replaceAll(encodeURIComponent(token), BLOT);
  return toPlainLine(blotted.replace(KEY_IN_TEXT, BLOT), lengthMax);
}

function toLeak(key: LeakedKeyRow, token: LeakedToken, revoked: ReadonlySet<string>): LeakRow {
  const source = toPlaceText(
    token.source ?? "unknown",
    token.token,
    SOURCE_LENGTH_MAX,
  ).toLowerCase();
  const isRevokedNow = revoked.has(key.key_id);
  return {
    tenant_id: key.tenant_id,
    key_id: key.key_id,
    place_hash: hash("sha256", `${source}\n${token.url ?? ""}`, "hex"),
    source,
    url: toPlaceText(token.url ?? "", token.token, URL_LENGTH_MAX),
    revoked: isRevokedNow,
    is_news: isRevokedNow || !key.is_dead,
  };
}

async function recordLeaks(
  deps: LeakDeps,
  tx: Tx,
  input: { tokens: readonly (LeakedToken & { hash: string })[]; requestId: string },
): Promise<Set<string>> {
  const now = deps.clock.now();
  const hashes = new Set(input.tokens.map((token) => token.hash));
  const found = await listKeysByHash(tx, [...hashes], now);
  if (found.length === 0) {
    return new Set();
  }
  const revoked =
    deps.policy === "revoke" ? await revokeLeakedKeys(tx, found, now) : new Set<string>();
  const byHash = Map.groupBy(found, (key) => key.hash);
  const leaks = new Map<string, LeakRow>();
  for (const token of input.tokens) {
    for (const key of byHash.get(token.hash) ?? []) {
      const leak = toLeak(key, token, revoked);
      leaks.set(`${leak.tenant_id} ${leak.key_id} ${leak.place_hash}`, leak);
    }
  }
  const byId = new Map<string, LeakedKeyRow>(found.map((key) => [key.key_id, key]));
  const added = await insertLeaks(tx, [...leaks.values()], now);
  const context: CallContext = {
    actor: { type: "system", id: "github-secret-scanning" },
    requestId: input.requestId,
  };
  // Pipelined: executed in order, but sent without waiting for each.
  await Promise.all(
    added.map((leak) => {
      const isOwn = leak.tenant_id !== INSTALLATION;
      const key = byId.get(leak.key_id);
      return writeAudit(deps, tx, context, {
        tenantId: isOwn ? (leak.tenant_id as Exclude<LeakedKeyRow["tenant_id"], "operator">) : null,
        action: leak.revoked ? "key.leak_revoked" : "key.leak_found",
        entityType: isOwn ? "key" : "service_key",
        entityId: leak.key_id,
        details: {
          ...(key !== undefined && { name: key.name, start: key.start }),
          source: leak.source,
          place: leak.url,
        },
      });
    }),
  );
  for (const { tenant_id: tenantId, key_id: keyId, source, url: place, revoked } of added) {
    // Operators hear of service keys by mail alone, since these belong to no tenant.
    if (isId("tenant", tenantId) && isId("key", keyId)) {
      const data = { tenantId, keyId, source, place, revoked };
      await publishEvent(deps, tx, { tenantId, type: "key.leaked", data });
    }
  }
  if (added.length > 0) {
    await deps.jobs.enqueue(notifyOfLeaksJob, {}, { tx });
  }
  return new Set(found.map((key) => key.hash));
}

/**
 * Takes a verified report of texts found in public. Known keys are recorded with the location, and revoked at once when the
 * policy says so; a job notifies their owners. A location that was already reported changes nothing. All texts are hashed and
 * looked up together, in any form.
 *
 * @returns For each text, in order, whether it is a key.
 */
export async function receiveLeakReport(
  deps: LeakDeps,
  input: { tokens: readonly LeakedToken[]; requestId: string },
): Promise<LeakFeedback> {
  const tokens = input.tokens.map((token) => ({ ...token, hash: hashKey(token.token) }));
  const known = await deps.transact.asOperator((tx) =>
    recordLeaks(deps, tx, { tokens, requestId: input.requestId }),
  );
  return tokens.map((token) => ({
    token_hash: token.hash,
    token_type: token.type,
    label: known.has(token.hash) ? "true_positive" : "false_positive",
  }));
}
