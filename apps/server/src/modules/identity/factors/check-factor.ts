import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { AccountRow } from "../accounts/accounts.store.ts";
import { putChallenge, takeChallenge } from "./factor-steps.store.ts";
import {
  countRecoveryCodes,
  findPasskey,
  findTotp,
  listPasskeys,
  type PasskeyRow,
  takeCount,
  takeRecoveryCode,
  takeStep,
} from "./factors.store.ts";
import { asOperator, type FactorsDeps, sendFactorMail } from "./factors-deps.ts";
import { findTotpStep, parseTotpCode } from "./one-time-codes.ts";
import {
  CHALLENGE_BYTES,
  type PasskeyAnswer,
  toRequestOptions,
  verifyPasskeyAnswer,
} from "./passkeys.ts";
import { hashRecoveryCode, parseRecoveryCode } from "./recovery-codes.ts";

/** How long a passkey may take to answer. */
export const CHALLENGE_MS = 5 * 60 * 1_000;

const REFUSALS = {
  code: "This code is not right, or it was used already. Wait for the next one, or use another way.",
  passkey: "This passkey was not accepted. Try again, or use another way.",
  password: "The password is wrong.",
} as const;

/** For a code, a passkey or a password that is not accepted. */
export function factorRefused(what: keyof typeof REFUSALS): AppError {
  return new AppError({ code: "FACTOR_REFUSED", publicMessage: REFUSALS[what] });
}

export function tookTooLong(): AppError {
  return new AppError({
    code: "SIGN_IN_EXPIRED",
    publicMessage: "This took too long, or was done already. Start over.",
  });
}

/** @throws {AppError} `CONFLICT` when it was encrypted on a machine with another secret. */
export async function openTotpSecret(deps: FactorsDeps, sealed: string): Promise<string> {
  return await deps.sealer.open(sealed).catch((cause: unknown) => {
    throw new AppError({
      code: "CONFLICT",
      publicMessage:
        "The secret of your app cannot be read here: it was encrypted with another TURNPIKE_IDENTITY_SECRET. Use a passkey or a recovery code.",
      cause,
    });
  });
}

async function takeTotpCode(
  deps: FactorsDeps,
  tx: Tx,
  input: { account: AccountRow; code: string },
): Promise<boolean> {
  const accountId = input.account.account_id;
  const totp = await findTotp(tx, accountId);
  if (totp === undefined) {
    return false;
  }
  const secret = await openTotpSecret(deps, totp.secret_jwe);
  const now = deps.clock.now();
  const step = findTotpStep({ secret, code: input.code, now });
  return step !== undefined && (await takeStep(tx, { accountId, step, now }));
}

async function spendRecoveryCode(
  deps: FactorsDeps,
  tx: Tx,
  input: { account: AccountRow; code: string },
): Promise<boolean> {
  const { account, code } = input;
  const accountId = account.account_id;
  const isTaken = await takeRecoveryCode(tx, {
    accountId,
    hash: hashRecoveryCode(accountId, code),
  });
  if (isTaken) {
    const left = await countRecoveryCodes(tx, accountId);
    await sendFactorMail(deps, tx, account, { kind: "code_used", left });
  }
  return isTaken;
}

/** Uses up a code of an app, or a recovery code. @returns False for a wrong one, and for one that was used before. */
export async function spendCode(
  deps: FactorsDeps,
  tx: Tx,
  input: { account: AccountRow; text: string },
): Promise<boolean> {
  const { account, text } = input;
  const digits = parseTotpCode(text);
  if (digits !== undefined) {
    return await takeTotpCode(deps, tx, { account, code: digits });
  }
  const recovery = parseRecoveryCode(text);
  return recovery !== undefined && (await spendRecoveryCode(deps, tx, { account, code: recovery }));
}

/** Asks for a passkey. @param input.accountId - Left out: any that the person has here. */
export async function askForPasskey(
  deps: FactorsDeps,
  input: { ownerHash: Uint8Array; accountId?: string | undefined },
) {
  const challenge = deps.randomBytes(CHALLENGE_BYTES);
  const passkeys = await asOperator(deps, async (tx) => {
    await putChallenge(tx, {
      ownerHash: input.ownerHash,
      challenge: Buffer.from(challenge).toString("base64url"),
      expiresAt: new Date(deps.clock.now().getTime() + CHALLENGE_MS),
    });
    return input.accountId === undefined ? [] : await listPasskeys(tx, input.accountId);
  });
  return await toRequestOptions(deps.site, { challenge, passkeys, timeoutMs: CHALLENGE_MS });
}

/**
 * Verifies the answer of a passkey. The challenge is used up, also by a wrong answer.
 *
 * @param input.accountId - Whose it must be; left out: anyone's.
 * @returns The passkey; undefined for a wrong answer.
 * @throws {AppError} `SIGN_IN_EXPIRED` when nothing was asked, or too long ago.
 */
export async function checkPasskey(
  deps: FactorsDeps,
  input: { ownerHash: Uint8Array; answer: PasskeyAnswer; accountId?: string | undefined },
): Promise<PasskeyRow | undefined> {
  const { answer, accountId } = input;
  const now = deps.clock.now();
  const challenge = await asOperator(deps, (tx) =>
    takeChallenge(tx, { ownerHash: input.ownerHash, now }),
  );
  if (challenge === undefined) {
    throw tookTooLong();
  }
  const passkey = await asOperator(deps, (tx) => findPasskey(tx, answer.id));
  if (passkey === undefined || (accountId ?? passkey.account_id) !== passkey.account_id) {
    return;
  }
  const counter = await verifyPasskeyAnswer(deps.site, { challenge, answer, passkey });
  if (counter === undefined) {
    return;
  }
  const { passkey_id: passkeyId } = passkey;
  const isGrown = await asOperator(deps, (tx) => takeCount(tx, { passkeyId, counter, now }));
  if (!isGrown) {
    deps.logger.warn(
      { accountId: passkey.account_id, passkeyId },
      "a passkey counted backwards and was refused: it may have been copied",
    );
  }
  return isGrown ? passkey : undefined;
}
