import type { Tx } from "@turnpike/db/client";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { said } from "@turnpike/domain/text/said";
import { type AccountRow, findAccountById } from "../accounts/accounts.store.ts";
import {
  clearFactors,
  countRecoveryCodes,
  deletePasskey,
  deleteTotp,
  findTotp,
  listPasskeys,
  lockAccount,
} from "./factors.store.ts";
import { asOperator, type FactorsDeps, sendFactorMail } from "./factors-deps.ts";

/** What a person sees of their second factors; instants in ISO 8601. */
export type FactorsReply = {
  accountId: string;
  email: string;
  /** True where the installation demands one of this person: the last one cannot be removed. */
  isRequired: boolean;
  totp: { createdAt: string; lastUsedAt: string | null } | null;
  passkeys: { passkeyId: string; name: string; createdAt: string; lastUsedAt: string | null }[];
  recoveryCodesLeft: number;
};

function toInstants(row: { created_at: Date; last_used_at: Date | null }) {
  return {
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

export async function getFactors(deps: FactorsDeps, account: AccountRow): Promise<FactorsReply> {
  const { account_id: accountId, email } = account;
  return await asOperator(deps, async (tx) => {
    const totp = await findTotp(tx, accountId);
    const passkeys = await listPasskeys(tx, accountId);
    return {
      accountId,
      email,
      isRequired: await deps.policy.isRequired(tx, account),
      totp: totp === undefined ? null : toInstants(totp),
      passkeys: passkeys.map((row) => ({
        passkeyId: row.passkey_id,
        name: row.name,
        ...toInstants(row),
      })),
      recoveryCodesLeft: await countRecoveryCodes(tx, accountId),
    };
  });
}

/** After the last factor, the password is enough again, and recovery codes have no use. */
async function settleAfterRemoval(
  deps: FactorsDeps,
  tx: Tx,
  input: { account: AccountRow; what: string },
): Promise<void> {
  const { account } = input;
  const { account_id: accountId } = account;
  const isLast =
    (await findTotp(tx, accountId)) === undefined &&
    (await listPasskeys(tx, accountId)).length === 0;
  if (isLast) {
    if (await deps.policy.isRequired(tx, account)) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage:
          "A second factor is required here: set up another one before you remove the last.",
      });
    }
    await clearFactors(tx, { accountId, now: deps.clock.now() });
  }
  await sendFactorMail(deps, tx, account, { kind: "removed", what: input.what });
}

async function remove(
  deps: FactorsDeps,
  accountId: string,
  /** @returns What is gone; undefined if it was not there. */
  work: (tx: Tx) => Promise<string | undefined>,
): Promise<void> {
  await asOperator(deps, async (tx) => {
    await lockAccount(tx, accountId);
    const account = await findAccountById(tx, accountId);
    const what = await work(tx);
    if (account === undefined || what === undefined) {
      throw resourceNotFound("second factor");
    }
    await settleAfterRemoval(deps, tx, { account, what });
  });
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` for the last factor where one is required. */
export async function removeTotp(deps: FactorsDeps, accountId: string): Promise<void> {
  await remove(deps, accountId, async (tx) =>
    (await deleteTotp(tx, accountId)) ? said("The app for one-time codes") : undefined,
  );
}

/** @throws {AppError} As {@link removeTotp}. */
export async function removePasskey(
  deps: FactorsDeps,
  input: { accountId: string; passkeyId: string },
): Promise<void> {
  await remove(deps, input.accountId, async (tx) => {
    const name = await deletePasskey(tx, input);
    return name === undefined ? undefined : said(`The passkey “${name}”`);
  });
}
