import type { Tx } from "@turnpike/db/client";
import type { AccountRow } from "../accounts/accounts.store.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { listUserRowsBySubject } from "../users/users.store.ts";

/** Whose sign-in needs a second factor, apart from people who set one up. */
export const SECOND_FACTOR_POLICIES = ["optional", "operators", "everyone"] as const;
export type SecondFactorPolicy = (typeof SECOND_FACTOR_POLICIES)[number];

/** Sign-in methods as the session, and every code and token given out in it, name them (RFC 8176). */
export const METHODS = {
  password: ["pwd"],
  passwordAndCode: ["pwd", "otp", "mfa"],
  passwordAndPasskey: ["pwd", "pop", "mfa"],
  // A passkey is something one has, and the authenticator has verified the person.
  passkey: ["pop", "user", "mfa"],
  // A second factor is the provider's to ask for. Operators never come this way.
  singleSignOn: ["sso", "mfa"],
} as const;

/** True for an operator who must have a second factor, or for anyone under `everyone`. */
export function isFactorDemanded(
  policy: SecondFactorPolicy,
  person: { isOperator: boolean },
): boolean {
  return policy === "everyone" || (policy === "operators" && person.isOperator);
}

export type FactorPolicy = {
  /** True if the account may not be used without a second factor, also while it has none. Needs the operator role. */
  isRequired(tx: Tx, account: AccountRow): Promise<boolean>;
};

/** @param input.operators - E-mail addresses of operators in the configuration. */
export function createFactorPolicy(input: {
  policy: SecondFactorPolicy;
  operators: readonly string[];
}): FactorPolicy {
  const { policy } = input;
  const operators = new Set(input.operators.map((email) => email.toLowerCase()));
  return {
    async isRequired(tx, account) {
      if (policy !== "operators") {
        return policy === "everyone";
      }
      const identity = { issuer: BUILTIN_ISSUER, subject: account.account_id };
      const [user] = await listUserRowsBySubject(tx, [identity]);
      const isListed = account.email_verified && operators.has(account.email);
      return isListed || user?.is_operator === true;
    },
  };
}

/**
 * True if a sign-in by these methods is enough for the account. A session from before the first second factor is not, and neither
 * is anything that was given out in it.
 */
export function isSufficient(input: {
  account: Pick<AccountRow, "second_factor_since">;
  isRequired: boolean;
  methods: readonly string[] | undefined;
}): boolean {
  const isNeeded = input.isRequired || input.account.second_factor_since !== null;
  return !isNeeded || input.methods?.includes("mfa") === true;
}
