import type { SignedInUser } from "@turnpike/contract/auth";
import { type CallContext, getPerson } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { toSignedInUser } from "../users/to-user-reply.ts";
import { setOperator } from "../users/users.store.ts";
import { claimSetupCode } from "./setup-code.ts";

/**
 * Makes the signed-in holder of the setup code an operator. The code is claimed and the right granted in one transaction, so of any
 * number of claims exactly one succeeds, and a failed one leaves the code valid.
 *
 * @throws {AppError} `SETUP_CODE_INVALID`; `INSUFFICIENT_SCOPE` for a program.
 */
export async function claimSetup(
  deps: AppServices,
  context: CallContext,
  input: { code: string },
): Promise<{ user: SignedInUser }> {
  const { id: userId } = getPerson(context.actor);
  return await deps.transact.asOperator(
    async (tx) => {
      await claimSetupCode(deps, tx, { code: input.code, by: userId });
      const row = await setOperator(tx, { userId, isOperator: true, now: deps.clock.now() });
      if (row === undefined) {
        throw resourceNotFound("user");
      }
      await writeAudit(deps, tx, context, {
        tenantId: null,
        action: "operator.added",
        entityType: "user",
        entityId: userId,
        details: { by: "setup code" },
      });
      await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
      return { user: toSignedInUser(row, true) };
    },
    { holder: userId },
  );
}
