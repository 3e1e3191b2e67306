import { PERSON_TOKENS_MAX } from "@turnpike/contract/device-sign-ins";
import { formatKey, KEY_RANDOM_BYTES } from "@turnpike/domain/keys/key-format";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { SIGN_INS } from "#platform/transact.ts";
import {
  type DeviceSignInRow,
  deleteDeviceSignIn,
  lockByDevice,
  savePoll,
} from "./device-sign-ins.store.ts";
import { hashCredential } from "./hash-credential.ts";
import { toDeviceActor } from "./manage-person-tokens.ts";
import { deleteOldestPersonTokens, insertPersonToken } from "./person-tokens.store.ts";

const DAY_SECONDS = 24 * 60 * 60;
/** Then the person signs in anew. */
export const PERSON_TOKEN_SECONDS = 90 * DAY_SECONDS;
/** By how much a program that asks too soon waits longer from then on (RFC 8628, section 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** The answer to a program that asks whether it is signed in by now; refusals in the words of RFC 8628. */
export type PollOutcome =
  | { kind: "signed_in"; token: string; expiresInSeconds: number }
  | {
      kind: "refused";
      error:
        | "authorization_pending"
        | "slow_down"
        | "access_denied"
        | "expired_token"
        | "invalid_grant";
    };

function isTooSoon({ polled_at, interval_seconds }: DeviceSignInRow, now: Date): boolean {
  return polled_at !== null && now.getTime() - polled_at.getTime() < interval_seconds * 1_000;
}

/** Answers a program that waits for its person. A device code gives one token, once. */
export async function pollDeviceSignIn(
  deps: AppServices,
  { deviceCode, requestId }: { deviceCode: string; requestId: string },
): Promise<PollOutcome> {
  const deviceHash = hashCredential("device", deviceCode);
  const now = deps.clock.now();
  const refused = (error: Extract<PollOutcome, { kind: "refused" }>["error"]): PollOutcome => ({
    kind: "refused",
    error,
  });
  return await deps.transact.asOperator(async (tx): Promise<PollOutcome> => {
    const row = await lockByDevice(tx, deviceHash);
    if (row === undefined) {
      return refused("invalid_grant");
    }
    if (row.expires_at <= now) {
      return refused("expired_token");
    }
    if (isTooSoon(row, now)) {
      const interval_seconds = row.interval_seconds + SLOW_DOWN_SECONDS;
      await savePoll(tx, deviceHash, { polled_at: now, interval_seconds });
      return refused("slow_down");
    }
    if (row.state === "waiting") {
      await savePoll(tx, deviceHash, { ...row, polled_at: now });
      return refused("authorization_pending");
    }
    await deleteDeviceSignIn(tx, deviceHash);
    if (row.state === "denied" || row.user_id === null) {
      return refused("access_denied");
    }
    const { key: token, start } = formatKey("usr", deps.randomBytes(KEY_RANDOM_BYTES));
    await insertPersonToken(tx, {
      person_token_id: deps.newId("personToken"),
      token_hash: hashCredential("token", token),
      user_id: row.user_id,
      name: row.name,
      start,
      created_at: now,
      expires_at: new Date(now.getTime() + PERSON_TOKEN_SECONDS * 1_000),
    });
    const context = { actor: toDeviceActor(row.user_id), requestId };
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "person_token.created",
      entityType: "user",
      entityId: row.user_id,
      details: { name: row.name, start },
    });
    if ((await deleteOldestPersonTokens(tx, row.user_id, PERSON_TOKENS_MAX)) > 0) {
      await insertChange(tx, { kind: "user", tenantId: null, entityId: row.user_id });
    }
    return { kind: "signed_in", token, expiresInSeconds: PERSON_TOKEN_SECONDS };
  }, SIGN_INS);
}
