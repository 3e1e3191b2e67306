import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import { said } from "@turnpike/domain/text/said";
import { type AccountRow, findAccountById } from "../accounts/accounts.store.ts";
import { endSignIns } from "../accounts/end-sign-ins.ts";
import { factorRefused, openTotpSecret, tookTooLong } from "./check-factor.ts";
import {
  type EnrolmentRow,
  findEnrolment,
  putEnrolment,
  takeEnrolment,
} from "./factor-steps.store.ts";
import {
  insertPasskey,
  listPasskeys,
  lockAccount,
  putTotp,
  replaceRecoveryCodes,
  setSecondFactorSince,
} from "./factors.store.ts";
import { asOperator, type FactorsDeps, sendFactorMail } from "./factors-deps.ts";
import {
  findTotpStep,
  parseTotpCode,
  TOTP_SECRET_BYTES,
  toTotpSecret,
  toTotpUri,
} from "./one-time-codes.ts";
import {
  CHALLENGE_BYTES,
  type NewPasskey,
  toCreationOptions,
  verifyNewPasskey,
} from "./passkeys.ts";
import { createRecoveryCodes, hashRecoveryCode, parseRecoveryCode } from "./recovery-codes.ts";

/** How long a set-up may take: codes are written down meanwhile. */
const ENROLMENT_MS = 30 * 60 * 1_000;
/** An answer of a passkey must come sooner. */
const PASSKEY_ENROLMENT_MS = 5 * 60 * 1_000;
/** More than anyone has; each is a row that a sign-in names. */
const PASSKEYS_MAX = 20;

/** The first factor comes with recovery codes, in the clear only here; null when the account has some already. */
type WithCodes = { recoveryCodes: string[] | null };

/** True if this was the first factor, so that everything given out before has ended. */
export type Enrolled = { isFirst: boolean };

function toHashes(accountId: string, codes: readonly string[]): string[] {
  return codes.map((code) => hashRecoveryCode(accountId, parseRecoveryCode(code) ?? ""));
}

/** New codes for an account without a second factor. */
function createFirstCodes(deps: FactorsDeps, account: AccountRow) {
  const codes = account.second_factor_since === null ? createRecoveryCodes(deps.randomBytes) : null;
  return { recoveryCodes: codes, hashes: toHashes(account.account_id, codes ?? []) };
}

async function begin(deps: FactorsDeps, row: EnrolmentRow & { lifetimeMs: number }): Promise<void> {
  const expiresAt = new Date(deps.clock.now().getTime() + row.lifetimeMs);
  await asOperator(deps, (tx) => putEnrolment(tx, { ...row, expiresAt }));
}

/** Begins to set up an app that shows codes; it replaces the one before once the first code confirms it. */
export async function beginTotp(
  deps: FactorsDeps,
  account: AccountRow,
): Promise<WithCodes & { secret: string; uri: string }> {
  const { recoveryCodes, hashes } = createFirstCodes(deps, account);
  const secret = toTotpSecret(deps.randomBytes(TOTP_SECRET_BYTES));
  await begin(deps, {
    account_id: account.account_id,
    kind: "totp",
    secret_jwe: await deps.sealer.seal(secret),
    challenge: null,
    recovery_hashes: hashes,
    lifetimeMs: ENROLMENT_MS,
  });
  const uri = toTotpUri({ secret, issuer: deps.stage.brand, label: account.email });
  return { secret, uri, recoveryCodes };
}

/** Begins to make a passkey. @throws {AppError} `CONFLICT` for an account with 20. */
export async function beginPasskey(deps: FactorsDeps, account: AccountRow) {
  const { account_id: accountId } = account;
  const passkeys = await asOperator(deps, (tx) => listPasskeys(tx, accountId));
  if (passkeys.length >= PASSKEYS_MAX) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `An account has at most ${String(PASSKEYS_MAX)} passkeys. Remove one first.`,
    });
  }
  const { recoveryCodes, hashes } = createFirstCodes(deps, account);
  const challenge = deps.randomBytes(CHALLENGE_BYTES);
  await begin(deps, {
    account_id: accountId,
    kind: "passkey",
    secret_jwe: null,
    challenge: Buffer.from(challenge).toString("base64url"),
    recovery_hashes: hashes,
    lifetimeMs: PASSKEY_ENROLMENT_MS,
  });
  const options = await toCreationOptions(deps.site, {
    challenge,
    account,
    passkeys,
    timeoutMs: PASSKEY_ENROLMENT_MS,
  });
  return { options, recoveryCodes };
}

/**
 * Lets a factor count. With the first one, everything that was given out without it ends: sessions, tokens, command lines and
 * agents.
 */
async function activate(
  deps: FactorsDeps,
  tx: Tx,
  input: { account: AccountRow; what: string; recoveryHashes: readonly string[] },
): Promise<Enrolled> {
  const { account } = input;
  const { account_id: accountId } = account;
  const isFirst = account.second_factor_since === null;
  if (isFirst) {
    if (input.recoveryHashes.length === 0) {
      // The last factor was removed meanwhile, and its codes with it.
      throw tookTooLong();
    }
    const now = deps.clock.now();
    await setSecondFactorSince(tx, { accountId, since: now, now });
    await replaceRecoveryCodes(tx, { accountId, hashes: input.recoveryHashes, now });
    await endSignIns(deps, tx, { accountId, why: "second_factor_changed" });
  }
  await sendFactorMail(deps, tx, account, { kind: "added", what: input.what });
  return { isFirst };
}

/** Locks the account and takes its set-up. @throws {AppError} `SIGN_IN_EXPIRED`. */
async function take(
  deps: FactorsDeps,
  tx: Tx,
  key: { accountId: string; kind: EnrolmentRow["kind"] },
): Promise<{ account: AccountRow; enrolment: EnrolmentRow }> {
  await lockAccount(tx, key.accountId);
  const account = await findAccountById(tx, key.accountId);
  const enrolment = await takeEnrolment(tx, { ...key, now: deps.clock.now() });
  if (account === undefined || enrolment === undefined) {
    throw tookTooLong();
  }
  return { account, enrolment };
}

/**
 * Confirms an app by its first code.
 *
 * @throws {AppError} `FACTOR_REFUSED` for a wrong code: then another may be tried; `SIGN_IN_EXPIRED`.
 */
export async function confirmTotp(
  deps: FactorsDeps,
  input: { accountId: string; code: string },
): Promise<Enrolled> {
  const { accountId } = input;
  const now = deps.clock.now();
  const begun = await asOperator(deps, (tx) => findEnrolment(tx, { accountId, kind: "totp", now }));
  if (begun === undefined || begun.secret_jwe === null) {
    throw tookTooLong();
  }
  const secretJwe = begun.secret_jwe;
  const secret = await openTotpSecret(deps, secretJwe);
  const code = parseTotpCode(input.code);
  const step = code === undefined ? undefined : findTotpStep({ secret, code, now });
  if (step === undefined) {
    throw factorRefused("code");
  }
  return await asOperator(deps, async (tx) => {
    const { account, enrolment } = await take(deps, tx, { accountId, kind: "totp" });
    if (enrolment.secret_jwe !== secretJwe) {
      // Another set-up was begun meanwhile: the code was not of its app.
      throw tookTooLong();
    }
    await putTotp(tx, { accountId, secretJwe, lastStep: step, now });
    return await activate(deps, tx, {
      account,
      what: said("An app for one-time codes"),
      recoveryHashes: enrolment.recovery_hashes,
    });
  });
}

/**
 * Confirms a passkey that the browser has made.
 *
 * @throws {AppError} `FACTOR_REFUSED`, after which the set-up begins anew; `ALREADY_EXISTS`; `SIGN_IN_EXPIRED`.
 */
export async function confirmPasskey(
  deps: FactorsDeps,
  input: { accountId: string; name: string; answer: NewPasskey },
): Promise<Enrolled> {
  const { accountId, name } = input;
  const now = deps.clock.now();
  // In a transaction of its own: a challenge is good for one answer, also for a wrong one.
  const { enrolment } = await asOperator(deps, (tx) =>
    take(deps, tx, { accountId, kind: "passkey" }),
  );
  const verified = await verifyNewPasskey(deps.site, {
    challenge: enrolment.challenge ?? "",
    answer: input.answer,
  });
  if (verified === undefined) {
    throw factorRefused("passkey");
  }
  return await asOperator(deps, async (tx) => {
    await lockAccount(tx, accountId);
    const account = await findAccountById(tx, accountId);
    if (account === undefined) {
      throw tookTooLong();
    }
    const row = {
      ...verified,
      passkey_id: deps.newId("passkey"),
      account_id: accountId,
      name,
      now,
    };
    if (!(await insertPasskey(tx, row))) {
      throw new AppError({
        code: "ALREADY_EXISTS",
        publicMessage: "This passkey is set up already.",
      });
    }
    return await activate(deps, tx, {
      account,
      what: said(`The passkey “${name}”`),
      recoveryHashes: enrolment.recovery_hashes,
    });
  });
}

/** Makes new recovery codes, in the clear only here; the old ones no longer work. @throws {AppError} `CONFLICT` without a factor. */
export async function renewRecoveryCodes(
  deps: FactorsDeps,
  input: { accountId: string },
): Promise<{ recoveryCodes: string[] }> {
  const { accountId } = input;
  const recoveryCodes = createRecoveryCodes(deps.randomBytes);
  await asOperator(deps, async (tx) => {
    await lockAccount(tx, accountId);
    const account = await findAccountById(tx, accountId);
    if (account === undefined || account.second_factor_since === null) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: "Recovery codes come with a second factor: set one up first.",
      });
    }
    const hashes = toHashes(accountId, recoveryCodes);
    await replaceRecoveryCodes(tx, { accountId, hashes, now: deps.clock.now() });
    await sendFactorMail(deps, tx, account, { kind: "codes_renewed" });
  });
  return { recoveryCodes };
}
