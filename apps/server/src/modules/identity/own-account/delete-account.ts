import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { insertChange } from "#platform/changes.store.ts";
import type { AccountRow } from "../accounts/accounts.store.ts";
import type { PersonAgents } from "../accounts/provider.ports.ts";
import { releaseIdentitiesOf, toNextSecond } from "../identities/release-identities.ts";
import type { OwnMembership } from "../identity.ports.ts";
import { endTokens } from "../tokens/end-tokens.ts";
import { forgetUser, type UserRow } from "../users/users.store.ts";
import type { PersonalDeps } from "./export-account.ts";
import { getOwnUserRow, getPersonInBrowser, type OwnCall } from "./own-account.ts";
import { isKeptHere, provePerson } from "./prove-person.ts";

export type DeleteAccountDeps = PersonalDeps & { agents: PersonAgents };

/** What a person types who has no address. */
const PHRASE = "delete my account";

/** What the deletion needs of the person, and what is in its way. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function getOwnDeletion(deps: PersonalDeps, { context }: OwnCall) {
  const person = getPersonInBrowser(context);
  const row = await getOwnUserRow(deps, person);
  const memberships = await deps.transact.asOperator((tx) =>
    deps.tenants.listMemberships(tx, person.id),
  );
  return {
    confirmation: row.email ?? PHRASE,
    needsPassword: isKeptHere(deps, row),
    memberships: memberships.length,
    soleOwnerOf: memberships
      .filter(({ isSoleOwner }) => isSoleOwner)
      .map(({ tenantId, name, slug }) => ({ tenantId, name, slug })),
  };
}

function refuseField(pointer: string, message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer, message }],
  });
}

function assertNoSoleOwner(memberships: readonly OwnMembership[]): void {
  const owned = memberships.filter(({ isSoleOwner }) => isSoleOwner);
  if (owned.length > 0) {
    throw new AppError({
      code: "LAST_OWNER",
      publicMessage: `You are the only owner of ${owned.map(({ name }) => name).join(", ")}. Make someone else an owner, or delete the tenant first.`,
    });
  }
}

/**
 * Deletes the person's account at once: memberships, sign-ins, tokens, command lines, agents, what only they could see. What they did
 * stays in the trails under an id without a name; keys that they made stay with their tenants.
 *
 * @throws {AppError} `INVALID_CREDENTIALS`, `INVALID_REQUEST`, `LAST_OWNER`, `CONFLICT`, `SIGN_IN_EXPIRED`, `TOO_MANY_ATTEMPTS`,
 *   `OVERLOADED`, `INSUFFICIENT_SCOPE`.
 */
export async function deleteOwnAccount(
  deps: DeleteAccountDeps,
  call: OwnCall,
  input: { confirmation: string; currentPassword?: string | undefined },
): Promise<void> {
  const { context } = call;
  const person = getPersonInBrowser(context);
  const row = await getOwnUserRow(deps, person);
  const expected = row.email ?? PHRASE;
  if (input.confirmation.trim().toLowerCase() !== expected.toLowerCase()) {
    throw refuseField("/confirmation", `Type ${expected} to confirm.`);
  }
  const account = await provePerson(deps, call, input);
  await deps.transact.asOperator((tx) => forgetPerson(deps, tx, { call, row, account }));
}

async function forgetPerson(
  deps: DeleteAccountDeps,
  tx: Tx,
  { call, row, account }: { call: OwnCall; row: UserRow; account: AccountRow | undefined },
): Promise<void> {
  const userId = row.user_id;
  const now = deps.clock.now();
  const memberships = await deps.tenants.listMemberships(tx, userId);
  assertNoSoleOwner(memberships);
  const tenantIds = memberships.map(({ tenantId }) => tenantId);
  for (const { forget } of deps.resources) {
    await forget?.(tx, { userId, tenantIds });
  }
  for (const tenantId of tenantIds) {
    await deps.tenants.leave(tx, call.context, { tenantId, userId });
  }
  await writeAudit(deps, tx, call.context, {
    tenantId: null,
    action: "account.deleted",
    entityType: "user",
    entityId: userId,
    details: { memberships: memberships.length, wasOperator: row.is_operator },
  });
  if (account === undefined) {
    const { issuer, subject } = row;
    await endTokens(deps, tx, { issuer, subject, why: "account_deleted" });
  } else {
    await deps.accounts?.remove(tx, account);
  }
  await releaseIdentitiesOf(deps, tx, userId);
  await forgetUser(tx, { userId, now, tokensValidFrom: toNextSecond(now) });
  // From here on, no one can be made a member; who was a moment ago, in another tab, is one that the lists above do not name.
  if ((await deps.tenants.listMemberships(tx, userId)).length > 0) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "You joined a tenant at this moment: delete the account again.",
    });
  }
  await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
}
