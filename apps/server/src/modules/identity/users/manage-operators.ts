import type { SignedInUser } from "@turnpike/contract/auth";
import type { Tx } from "@turnpike/db/client";
import { type Actor, assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId, type UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { toSignedInUser } from "./to-user-reply.ts";
import {
  findUserRow,
  listOperatorRows,
  listUserRowsByEmail,
  listVerifiedUserRows,
  setOperator,
} from "./users.store.ts";

/** Far more than any installation has. Operators by configuration are not included. */
const OPERATORS_MAX = 1_000;
const TWINS_MAX = 10;

/** Lists operators made by the setup link or a command, oldest first. */
export async function listOperators(
  deps: AppServices,
  context: CallContext,
): Promise<SignedInUser[]> {
  assertMay(context.actor, "users:write");
  const rows = await deps.transact.asOperator((tx) => listOperatorRows(tx, OPERATORS_MAX));
  return rows.map((row) => toSignedInUser(row, true));
}

/**
 * Lists every user who is an operator, by any means. An address in the configuration counts only once a person has signed in with
 * it, confirmed.
 *
 * @param input.configured - E-mail addresses of operators in the configuration.
 */
export async function listOperatorUsers(
  deps: AppServices,
  context: CallContext,
  input: { configured: readonly string[] },
): Promise<SignedInUser[]> {
  assertMay(context.actor, "users:write");
  const emails = input.configured.map((email) => email.toLowerCase());
  const rows = await deps.transact.asOperator(async (tx) => [
    ...(await listOperatorRows(tx, OPERATORS_MAX)),
    ...(await listVerifiedUserRows(tx, emails, OPERATORS_MAX)),
  ]);
  const users = new Map(rows.map((row) => [row.user_id, toSignedInUser(row, true)]));
  return [...users.values()];
}

/**
 * Finds a user by id, or by e-mail address if only one person has it.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` if several people have the address.
 */
export async function getUserByName(
  deps: AppServices,
  context: CallContext,
  input: { idOrEmail: string },
): Promise<SignedInUser> {
  assertMay(context.actor, "users:write");
  const { idOrEmail } = input;
  const rows = await deps.transact.asOperator(async (tx) =>
    isId("user", idOrEmail)
      ? [await findUserRow(tx, idOrEmail)]
      : await listUserRowsByEmail(tx, idOrEmail, TWINS_MAX),
  );
  const [row, ...others] = rows;
  if (row === undefined) {
    throw resourceNotFound("user");
  }
  if (others.length > 0) {
    const ids = rows.map((twin) => twin?.user_id).join(", ");
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `Several people have this address, from different providers: choose one by id (${ids}).`,
    });
  }
  return toSignedInUser(row, row.is_operator);
}

async function changeOperator(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: { userId: UserId; isOperator: boolean },
): Promise<SignedInUser> {
  const before = await findUserRow(tx, input.userId);
  const after = await setOperator(tx, { ...input, now: deps.clock.now() });
  if (before === undefined || after === undefined) {
    throw resourceNotFound("user");
  }
  if (before.is_operator !== after.is_operator) {
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: input.isOperator ? "operator.added" : "operator.removed",
      entityType: "user",
      entityId: input.userId,
    });
    await insertChange(tx, { kind: "user", tenantId: null, entityId: input.userId });
  }
  return toSignedInUser(after, after.is_operator);
}

/** An actor may only grant or revoke rights that they hold. An operator holds every scope. */
function assertIsOperator(actor: Actor): void {
  for (const scope of SCOPES) {
    assertMay(actor, scope);
  }
}

/** Makes a user an operator. Idempotent. @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`. */
export async function addOperator(
  deps: AppServices,
  context: CallContext,
  input: { userId: UserId },
): Promise<SignedInUser> {
  assertIsOperator(context.actor);
  return await deps.transact.asOperator((tx) =>
    changeOperator(deps, tx, context, { ...input, isOperator: true }),
  );
}

/**
 * Revokes an operator's right, on every process within a second. Idempotent. Operators by configuration remain until it changes.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`.
 */
export async function removeOperator(
  deps: AppServices,
  context: CallContext,
  input: { userId: UserId },
): Promise<SignedInUser> {
  assertIsOperator(context.actor);
  return await deps.transact.asOperator((tx) =>
    changeOperator(deps, tx, context, { ...input, isOperator: false }),
  );
}
