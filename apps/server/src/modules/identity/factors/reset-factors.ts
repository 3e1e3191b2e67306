import type { SignedInUser } from "@turnpike/contract/auth";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { MailStage } from "../accounts/account-mails.ts";
import { findAccountById } from "../accounts/accounts.store.ts";
import { endSignIns } from "../accounts/end-sign-ins.ts";
import type { AccountMailer, PersonAgents } from "../accounts/provider.ports.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { toSignedInUser } from "../users/to-user-reply.ts";
import { findUserRow } from "../users/users.store.ts";
import { clearFactors, lockAccount } from "./factors.store.ts";
import { sendFactorMail } from "./factors-deps.ts";

export type ResetFactorsDeps = AppServices & {
  mailer: AccountMailer;
  agents: PersonAgents;
  stage: MailStage;
};

/**
 * Removes every second factor of a person who lost them, and ends all that was given out to them. The password stays, and the owner
 * gets a mail.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` for a person whom another provider vouches for; `INSUFFICIENT_SCOPE`.
 */
export async function resetFactors(
  deps: ResetFactorsDeps,
  context: CallContext,
  input: { userId: UserId },
): Promise<SignedInUser> {
  assertMay(context.actor, "users:write");
  return await deps.transact.asOperator(async (tx) => {
    const user = await findUserRow(tx, input.userId);
    if (user === undefined) {
      throw resourceNotFound("user");
    }
    if (user.issuer !== BUILTIN_ISSUER) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage:
          "This person signs in with a provider elsewhere, which has their second factors.",
      });
    }
    const accountId = user.subject;
    await lockAccount(tx, accountId);
    const account = await findAccountById(tx, accountId);
    if (account === undefined) {
      throw resourceNotFound("account");
    }
    if (await clearFactors(tx, { accountId, now: deps.clock.now() })) {
      await endSignIns(deps, tx, { accountId, why: "second_factor_changed" });
      await writeAudit(deps, tx, context, {
        tenantId: null,
        action: "factors.reset",
        entityType: "user",
        entityId: input.userId,
      });
      await sendFactorMail(deps, tx, account, { kind: "reset" });
    }
    return toSignedInUser(user, user.is_operator);
  });
}
