import { type AccountRow, findAccountById } from "../accounts/accounts.store.ts";
import type { Attempt, AttemptLimits } from "../attempts/attempt-limits.ts";
import type { KnownBrowser } from "../attempts/known-browsers.ts";
import {
  askForPasskey,
  checkPasskey,
  factorRefused,
  spendCode,
  tookTooLong,
} from "./check-factor.ts";
import { isSufficient, METHODS } from "./factor-policy.ts";
import { deletePendingSignIn, findPendingSignIn, putPendingSignIn } from "./factor-steps.store.ts";
import { countRecoveryCodes, findTotp, listPasskeys } from "./factors.store.ts";
import { asOperator, type FactorsDeps, hashOwner } from "./factors-deps.ts";
import type { PasskeyAnswer } from "./passkeys.ts";

export type SignInStepDeps = FactorsDeps & { limits: AttemptLimits };

export type FactorKind = "totp" | "passkey" | "recovery";

/** What a sign-in needs after the right password. */
export type NextStep =
  | { kind: "none" }
  | { kind: "factor"; factors: FactorKind[] }
  /** A second factor is required, and the person has none yet. */
  | { kind: "set_up" };

/** A sign-in that is complete. */
export type PassedSignIn = { account: AccountRow; startedAt: Date; methods: readonly string[] };

/** As long as a sign-in may take. */
const PENDING_MS = 30 * 60 * 1_000;

async function listFactors(deps: FactorsDeps, accountId: string): Promise<FactorKind[]> {
  return await asOperator(deps, async (tx) => {
    const kinds: FactorKind[] = [];
    if ((await findTotp(tx, accountId)) !== undefined) {
      kinds.push("totp");
    }
    if ((await listPasskeys(tx, accountId)).length > 0) {
      kinds.push("passkey");
    }
    if ((await countRecoveryCodes(tx, accountId)) > 0) {
      kinds.push("recovery");
    }
    return kinds;
  });
}

/**
 * Decides what follows the right password, and remembers in the interaction that it was right.
 *
 * @param input.interaction - Its browser alone has the cookie of it.
 * @param input.startedAt - When the password was given.
 */
export async function beginSecondStep(
  deps: FactorsDeps,
  input: { interaction: string; accountId: string; startedAt: Date },
): Promise<NextStep> {
  const { accountId, startedAt } = input;
  const hasFactor = await asOperator(deps, async (tx) => {
    const account = await findAccountById(tx, accountId);
    if (account === undefined) {
      throw tookTooLong();
    }
    const isRequired = await deps.policy.isRequired(tx, account);
    if (isSufficient({ account, isRequired, methods: METHODS.password })) {
      return;
    }
    await putPendingSignIn(tx, {
      interactionHash: hashOwner("interaction", input.interaction),
      accountId,
      startedAt,
      expiresAt: new Date(startedAt.getTime() + PENDING_MS),
    });
    return account.second_factor_since !== null;
  });
  if (hasFactor === undefined) {
    return { kind: "none" };
  }
  return hasFactor
    ? { kind: "factor", factors: await listFactors(deps, accountId) }
    : { kind: "set_up" };
}

/** The account whose password was right in this interaction; undefined before that. */
export async function findSignInOf(
  deps: FactorsDeps,
  interaction: string,
): Promise<{ account: AccountRow; startedAt: Date } | undefined> {
  return await asOperator(deps, async (tx) => {
    const interactionHash = hashOwner("interaction", interaction);
    const pending = await findPendingSignIn(tx, { interactionHash, now: deps.clock.now() });
    const account = pending && (await findAccountById(tx, pending.account_id));
    return pending && account && { account, startedAt: pending.started_at };
  });
}

/** @throws {AppError} `SIGN_IN_EXPIRED`. */
export async function getSignInOf(deps: FactorsDeps, interaction: string) {
  const found = await findSignInOf(deps, interaction);
  if (found === undefined) {
    throw tookTooLong();
  }
  return found;
}

/** An attempt, by its place. */
export type FactorAttempt = {
  network: string;
  /** The browser, if someone passed the second factor of the account in it before. */
  knownBrowser: KnownBrowser | undefined;
};

/**
 * A browser that passed a second factor of before, or an earlier password, proves nothing: only people who know the password come
 * here, and they must not get a new budget of guesses with each browser.
 */
function toAttempt(account: AccountRow, { network, knownBrowser }: FactorAttempt): Attempt {
  const sinces = [account.password_changed_at, account.second_factor_since ?? new Date(0)];
  const isProven =
    knownBrowser !== undefined && sinces.every((since) => knownBrowser.since >= since);
  const attempt = { email: account.email, network };
  return isProven ? { ...attempt, knownBrowser: knownBrowser.id } : attempt;
}

/**
 * Takes a code of an app, or a recovery code, after the password.
 *
 * @throws {AppError} `FACTOR_REFUSED`, `TOO_MANY_ATTEMPTS`, `SIGN_IN_EXPIRED`.
 */
export async function answerWithCode(
  deps: SignInStepDeps,
  input: FactorAttempt & { interaction: string; code: string },
): Promise<PassedSignIn> {
  const { account, startedAt } = await getSignInOf(deps, input.interaction);
  const attempt = toAttempt(account, input);
  await deps.limits.take("factor", attempt);
  await asOperator(deps, async (tx) => {
    if (!(await spendCode(deps, tx, { account, text: input.code }))) {
      throw factorRefused("code");
    }
    if (!(await deletePendingSignIn(tx, hashOwner("interaction", input.interaction)))) {
      throw tookTooLong();
    }
  });
  deps.limits.giveBack("factor", attempt);
  return { account, startedAt, methods: METHODS.passwordAndCode };
}

/** Asks for a passkey: after the password for one of the account, before it for any that the person has here. */
export async function askInSignIn(deps: FactorsDeps, interaction: string) {
  const known = await findSignInOf(deps, interaction);
  return await askForPasskey(deps, {
    ownerHash: hashOwner("interaction", interaction),
    accountId: known?.account.account_id,
  });
}

/**
 * Takes the answer of a passkey, after the password or instead of it.
 *
 * @throws {AppError} `FACTOR_REFUSED`, `SIGN_IN_EXPIRED`, `TOO_MANY_ATTEMPTS`.
 */
export async function answerWithPasskey(
  deps: SignInStepDeps & { confirmEmail: boolean },
  input: { network: string; interaction: string; answer: PasskeyAnswer },
): Promise<PassedSignIn> {
  const ownerHash = hashOwner("interaction", input.interaction);
  const known = await findSignInOf(deps, input.interaction);
  const attempt = { network: input.network };
  await deps.limits.take("passkey", attempt);
  const now = deps.clock.now();
  const passkey = await checkPasskey(deps, {
    ownerHash,
    answer: input.answer,
    accountId: known?.account.account_id,
  });
  const account =
    passkey && (await asOperator(deps, (tx) => findAccountById(tx, passkey.account_id)));
  if (account === undefined || (deps.confirmEmail && !account.email_verified)) {
    throw factorRefused("passkey");
  }
  deps.limits.giveBack("passkey", attempt);
  if (known === undefined) {
    return { account, startedAt: now, methods: METHODS.passkey };
  }
  await asOperator(deps, (tx) => deletePendingSignIn(tx, ownerHash));
  return { account, startedAt: known.startedAt, methods: METHODS.passwordAndPasskey };
}

/** Ends a sign-in in which the person has just set up the factor that was missing. */
export async function finishSetUp(deps: FactorsDeps, interaction: string): Promise<void> {
  await asOperator(deps, (tx) => deletePendingSignIn(tx, hashOwner("interaction", interaction)));
}
