import type { EnsureUserRequest } from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { toPersonName } from "@turnpike/domain/text/person-name";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import {
  insertUser,
  lockUserRowBySubject,
  type UserRow,
  updateUserProfile,
} from "./users.store.ts";

/** Names of changed fields only: the trail is kept for good, and identifies people by their ids. */
function listChangedFields(before: UserRow, after: UserRow): string[] {
  return (["email", "name"] as const).filter((field) => before[field] !== after[field]);
}

async function storeUser(
  deps: AppServices,
  tx: Tx,
  input: EnsureUserRequest,
): Promise<{ before: UserRow | undefined; after: UserRow }> {
  const now = deps.clock.now();
  const profile = { email: input.email ?? null, name: toPersonName(input.name ?? ""), now };
  const { issuer, subject } = input;
  const made = await insertUser(tx, {
    ...profile,
    user_id: deps.newId("user"),
    issuer,
    subject,
  });
  if (made !== undefined) {
    return { before: undefined, after: made };
  }
  const before = await lockUserRowBySubject(tx, { issuer, subject });
  const after =
    before === undefined
      ? undefined
      : await updateUserProfile(tx, { ...profile, user_id: before.user_id });
  if (after === undefined) {
    throw new Error("An existing user could not be updated.");
  }
  return { before, after };
}

/** Creates the user of (issuer, subject), or updates e-mail and name. A faulty name counts as left out. Idempotent. */
export async function ensureUser(
  deps: AppServices,
  context: CallContext,
  input: EnsureUserRequest,
) {
  assertMay(context.actor, "users:write");
  const row = await deps.transact.asOperator(async (tx) => {
    const { before, after } = await storeUser(deps, tx, input);
    const changed = before === undefined ? [] : listChangedFields(before, after);
    if (before === undefined || changed.length > 0) {
      await writeAudit(deps, tx, context, {
        tenantId: null,
        action: before === undefined ? "user.created" : "user.updated",
        entityType: "user",
        entityId: after.user_id,
        details: before === undefined ? {} : { changed },
      });
    }
    // With a new address, the user may lose rights that the configuration gives to the old one.
    await insertChange(tx, { kind: "user", tenantId: null, entityId: after.user_id });
    return after;
  });
  return {
    userId: row.user_id,
    issuer: row.issuer,
    subject: row.subject,
    email: row.email,
    name: row.name,
  };
}
