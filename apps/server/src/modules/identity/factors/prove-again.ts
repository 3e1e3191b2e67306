import { z } from "zod";
import type { AccountRow } from "../accounts/accounts.store.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { AttemptLimits } from "../attempts/attempt-limits.ts";
import { askForPasskey, checkPasskey, factorRefused, spendCode } from "./check-factor.ts";
import { asOperator, type FactorsDeps, hashOwner } from "./factors-deps.ts";
import { passkeyAnswer } from "./passkeys.ts";

/** What a person gives who is signed in, so that a device left open is not enough to change how the account is protected. */
export const freshProof = z.union([
  z.strictObject({ password: z.string().min(1).max(1_024) }),
  z.strictObject({ code: z.string().min(1).max(100) }),
  z.strictObject({ passkey: passkeyAnswer }),
]);
export type FreshProof = z.infer<typeof freshProof>;

export type ProofDeps = FactorsDeps & {
  limits: AttemptLimits;
  accounts: Pick<Accounts, "isPassword">;
};

/** Asks for one of the account's passkeys, as a proof. */
export async function askForProof(deps: FactorsDeps, account: AccountRow) {
  const accountId = account.account_id;
  return await askForPasskey(deps, { ownerHash: hashOwner("account", accountId), accountId });
}

async function isProof(
  deps: ProofDeps,
  input: { account: AccountRow; network: string; proof: FreshProof },
): Promise<boolean> {
  const { account, proof } = input;
  const accountId = account.account_id;
  if ("password" in proof) {
    const { password } = proof;
    return await deps.accounts.isPassword({ account, password, network: input.network });
  }
  if ("code" in proof) {
    return await asOperator(deps, (tx) => spendCode(deps, tx, { account, text: proof.code }));
  }
  const ownerHash = hashOwner("account", accountId);
  const { passkey: answer } = proof;
  return (await checkPasskey(deps, { ownerHash, answer, accountId })) !== undefined;
}

/**
 * Asserts that the person who is signed in is the owner. Only signed-in people come here, so strangers cannot use the limit up.
 *
 * @throws {AppError} `FACTOR_REFUSED`, `TOO_MANY_ATTEMPTS`, `SIGN_IN_EXPIRED`, `OVERLOADED`.
 */
export async function assertFreshProof(
  deps: ProofDeps,
  input: { account: AccountRow; network: string; proof: FreshProof },
): Promise<void> {
  const attempt = { email: input.account.account_id, network: input.network };
  await deps.limits.take("proof", attempt);
  if (!(await isProof(deps, input))) {
    const { proof } = input;
    throw factorRefused("password" in proof ? "password" : "code" in proof ? "code" : "passkey");
  }
  deps.limits.giveBack("proof", attempt);
}
