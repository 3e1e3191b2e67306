import type { UserActor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { parseKey } from "@turnpike/domain/keys/key-format";
import type { AppServices } from "#platform/app-services.ts";
import type { Change } from "#platform/change-feed.ts";
import { createRecordCache } from "#platform/record-cache.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { isVouchedFor } from "../users/vouched-for.ts";
import { hashCredential } from "./hash-credential.ts";
import { findPersonTokensByHash, type IdentifiedToken } from "./person-tokens.store.ts";

export type PersonTokens = {
  /**
   * The person of a command line's credential; undefined for one that is unknown, expired or ended.
   *
   * @throws {AppError} `CONFIRM_IN_BROWSER` when their provider has not vouched for them for a week.
   */
  findActor(credential: string): Promise<UserActor | undefined>;
  applyChange(change: Change): void;
};

const RECORDS_MAX = 20_000;
const LIMITS = {
  missesMax: 1_000,
  missTtlMs: 1_000,
  loadsMax: 2,
  loadsWaitingMax: 500,
  waitMsMax: 5_000,
};

/** True for a text in the form of a command line's credential. */
export function isPersonToken(credential: string): boolean {
  const parsed = parseKey(credential);
  return parsed.form === "own" && parsed.kind === "usr";
}

/** A change of password ends what was given out before, to the second, as for the tokens of the console. */
function isEnded(token: IdentifiedToken, now: Date): boolean {
  const from = token.tokens_valid_from;
  const isTooOld =
    from !== null && token.created_at.getTime() < Math.floor(from.getTime() / 1_000) * 1_000;
  return isTooOld || token.expires_at <= now;
}

function unconfirmed(consoleUrl: string): AppError {
  return new AppError({
    code: "CONFIRM_IN_BROWSER",
    publicMessage: `Your sign-in provider has not confirmed you for a week: open ${consoleUrl} once, then this works again.`,
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  });
}

/**
 * Finds people by the credentials of their command lines. They are kept until the change feed names the person.
 *
 * @param deps.findPerson - The person with an identity, with the roles of now.
 * @param deps.consoleUrl - Public address, without a slash at the end.
 */
export function createPersonTokens(
  deps: Pick<AppServices, "transact" | "clock"> & {
    findPerson(identity: { issuer: string; subject: string }): Promise<UserActor | undefined>;
    consoleUrl: string;
  },
): PersonTokens {
  const tokens = createRecordCache<IdentifiedToken>({
    ...LIMITS,
    recordsMax: RECORDS_MAX,
    monotonicMs: deps.clock.monotonicMs,
    idOf: ({ user_id }) => user_id,
    load: (hashes) =>
      deps.transact.asOperator((tx) => findPersonTokensByHash(tx, hashes), SIGN_INS),
  });
  return {
    async findActor(credential) {
      if (!isPersonToken(credential)) {
        return;
      }
      const token = await tokens.get(hashCredential("token", credential).toString("hex"));
      if (token === null || isEnded(token, deps.clock.now())) {
        return;
      }
      if (!isVouchedFor(token, deps.clock.now())) {
        throw unconfirmed(deps.consoleUrl);
      }
      const person = await deps.findPerson(token);
      return person === undefined ? undefined : { ...person, isByDevice: true };
    },
    applyChange(change) {
      if (change.kind === "user") {
        tokens.forget(change.entityId);
      }
      if (change.kind === "reset") {
        tokens.clear();
      }
    },
  };
}
