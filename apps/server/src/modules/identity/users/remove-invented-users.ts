import { databaseErrorCode } from "@turnpike/db/database-errors";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { deleteUserRow, listUserIdsOfIssuer } from "./users.store.ts";

/** SQLSTATE of a row that another one refers to. */
const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Removes users whom no person is behind, such as those of the demo. Members of a tenant and operators stay.
 *
 * @param input.issuer - Of an invented provider, from which no one can sign in.
 * @param input.prefix - What their subjects begin with.
 * @returns How many were removed.
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function removeInventedUsers(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: { issuer: string; prefix: string },
): Promise<number> {
  assertMay(context.actor, "users:write");
  const userIds = await deps.transact.asOperator((tx) => listUserIdsOfIssuer(tx, input));
  let removed = 0;
  for (const userId of userIds) {
    try {
      await deps.transact.asOperator((tx) => deleteUserRow(tx, userId));
      removed += 1;
    } catch (error) {
      // The user is a member of a tenant.
      if (databaseErrorCode(error) !== FOREIGN_KEY_VIOLATION) {
        throw error;
      }
    }
  }
  return removed;
}
