import type { Tx } from "@turnpike/db/client";
import { scopesOf } from "@turnpike/domain/access/scopes";
import { AppError } from "@turnpike/domain/errors/app-error";
import { nextDigestMs } from "@turnpike/domain/insights/digest-schedule";
import { toMailedName } from "@turnpike/domain/text/name-fault";
import { listKeyNames } from "#modules/keys/index.ts";
import { sendMail } from "#modules/notifications/index.ts";
import { type NotifyDeps, toHeldRole } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  advanceDigestRow,
  type DigestedInsight,
  type DueDigest,
  findDigestAddress,
  listDigestedInsights,
  lockDueDigest,
} from "./digests.store.ts";
import { toDigest, writeDigest } from "./write-digest.ts";

export type DigestDeps = AppServices & NotifyDeps;

/** A digest tells of the newest: a hundred open ones, and as many that ended. */
const INSIGHTS_MAX = 200;
const KEY_ID = /key_[0-9a-f]{32}/g;

async function createKeyNaming(
  tx: Tx,
  due: DueDigest,
  insights: readonly DigestedInsight[],
): Promise<(text: string) => string> {
  const keyIds = new Set(insights.flatMap(({ facts }) => facts.text.match(KEY_ID) ?? []));
  const names =
    keyIds.size === 0
      ? new Map<string, string>()
      : await listKeyNames(tx, due.tenant_id, [...keyIds]);
  return (text) =>
    text.replaceAll(KEY_ID, (keyId) => toMailedName(names.get(keyId) ?? keyId, keyId));
}

async function mailDigest(deps: DigestDeps, tx: Tx, due: DueDigest, to: Date): Promise<void> {
  const email = await findDigestAddress(tx, due.user_id);
  const insights = await listDigestedInsights(tx, {
    tenantId: due.tenant_id,
    from: due.told_to,
    to,
    limit: INSIGHTS_MAX,
  });
  const digest = toDigest(insights, due.told_to);
  if (email === undefined || digest.opened.length + digest.ended.length === 0) {
    return;
  }
  const { brandName, consoleUrl } = deps.notices;
  const nameKeys = await createKeyNaming(tx, due, insights);
  await sendMail(deps, tx, {
    to: email,
    tenantId: due.tenant_id,
    kind: "insight.digest",
    ...writeDigest({ digest, due, nameKeys, brandName, consoleUrl }),
  });
}

/** Sends the digest that has been due for longest, in one transaction with the note that it was. */
async function sendNext(deps: DigestDeps): Promise<boolean> {
  return await deps.transact.asOperator(async (tx) => {
    const now = deps.clock.now();
    const due = await lockDueDigest(tx, now);
    if (due === undefined) {
      return false;
    }
    const sees = scopesOf(toHeldRole(due));
    if (deps.notices.sendsMail && sees.includes("usage:read") && sees.includes("billing:read")) {
      try {
        await mailDigest(deps, tx, due, now);
      } catch (error) {
        // An address that no mail can be sent to must not hold up the others.
        if (!(error instanceof AppError)) {
          throw error;
        }
        deps.logger.warn({ err: error, tenantId: due.tenant_id }, "A digest was not sent");
      }
    }
    const next = nextDigestMs({ frequency: due.frequency, timeZone: due.time_zone }, now.getTime());
    await advanceDigestRow(tx, { ...due, told_to: now, next_at: new Date(next) });
    return true;
  });
}

/**
 * Mails what changed to those whose digest is due; without news, and without a mail server, nothing. What was missed while no
 * process ran is in one digest. @returns How many were due.
 */
export async function sendDigests(deps: DigestDeps, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted && (await sendNext(deps))) {
    count += 1;
  }
  return count;
}
