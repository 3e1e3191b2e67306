import type { EnsureUserRequest } from "@turnpike/contract/tenants";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { upsertUser } from "./users.store.ts";

/** Creates the user of (issuer, subject), or brings e-mail and name up to date. Safe to repeat. */
export async function ensureUser(
  deps: AppServices,
  context: CallContext,
  input: EnsureUserRequest,
) {
  assertMay(context.actor, "users:write");
  const row = await deps.transact.asOperator(async (tx) => {
    const user = await upsertUser(tx, {
      user_id: deps.newId("user"),
      issuer: input.issuer,
      subject: input.subject,
      email: input.email ?? null,
      name: input.name ?? null,
      now: deps.clock.now(),
    });
    if (user === undefined) {
      throw new Error("The upsert of a user returned no row.");
    }
    // Another address may end what the configuration gives to the one before.
    await insertChange(tx, { kind: "user", tenantId: null, entityId: user.user_id });
    return user;
  });
  return {
    userId: row.user_id,
    issuer: row.issuer,
    subject: row.subject,
    email: row.email,
    name: row.name,
  };
}
