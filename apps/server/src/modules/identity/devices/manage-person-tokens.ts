import type { SignedInUser } from "@turnpike/contract/auth";
import type { PersonToken } from "@turnpike/contract/device-sign-ins";
import type { Tx } from "@turnpike/db/client";
import { type Actor, type CallContext, getPerson } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { toSignedInUser } from "../users/to-user-reply.ts";
import { findUserRow } from "../users/users.store.ts";
import { hashCredential } from "./hash-credential.ts";
import {
  deletePersonToken,
  deletePersonTokenByHash,
  listPersonTokenRows,
  type PersonTokenRow,
} from "./person-tokens.store.ts";

function toReply(row: PersonTokenRow): PersonToken {
  return {
    personTokenId: row.person_token_id,
    name: row.name,
    start: row.start,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}

/** A person who acts by a credential of their own, with no right but that. */
export function toDeviceActor(userId: UserId): Actor {
  return { type: "user", id: userId, isOperator: false, roles: new Map(), isByDevice: true };
}

async function noteEnd(
  deps: AppServices,
  tx: Tx,
  { context, row }: { context: CallContext; row: PersonTokenRow },
): Promise<void> {
  await insertChange(tx, { kind: "user", tenantId: null, entityId: row.user_id });
  await writeAudit(deps, tx, context, {
    tenantId: null,
    action: "person_token.revoked",
    entityType: "user",
    entityId: row.user_id,
    details: { name: row.name, start: row.start },
  });
}

/** The person behind the credential. @throws {AppError} `INSUFFICIENT_SCOPE` for programs. */
export async function getPersonOfCall(
  deps: AppServices,
  context: CallContext,
): Promise<SignedInUser> {
  const { id, isOperator } = getPerson(context.actor);
  const row = await deps.transact.asOperator((tx) => findUserRow(tx, id), SIGN_INS);
  if (row === undefined) {
    throw resourceNotFound("user");
  }
  return toSignedInUser(row, isOperator);
}

/** Lists the command lines of the person, newest first. @throws {AppError} `INSUFFICIENT_SCOPE` for programs. */
export async function listPersonTokens(
  deps: AppServices,
  context: CallContext,
): Promise<{ items: PersonToken[] }> {
  const { id } = getPerson(context.actor);
  const now = deps.clock.now();
  const rows = await deps.transact.asOperator((tx) => listPersonTokenRows(tx, id, now), SIGN_INS);
  return { items: rows.map(toReply) };
}

/** Signs a command line of the person out, within a second everywhere. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function revokePersonToken(
  deps: AppServices,
  context: CallContext,
  { personTokenId }: { personTokenId: string },
): Promise<PersonToken> {
  const { id } = getPerson(context.actor);
  return await deps.transact.asOperator(async (tx) => {
    const row = await deletePersonToken(tx, id, personTokenId);
    if (row === undefined) {
      throw resourceNotFound("signed-in command line");
    }
    await noteEnd(deps, tx, { context, row });
    return toReply(row);
  }, SIGN_INS);
}

/** Ends a token that its holder gives back. @returns False for one that does not exist. */
export async function endPersonToken(
  deps: AppServices,
  { token, requestId }: { token: string; requestId: string },
): Promise<boolean> {
  return await deps.transact.asOperator(async (tx) => {
    const row = await deletePersonTokenByHash(tx, hashCredential("token", token));
    if (row !== undefined) {
      const context = { actor: toDeviceActor(row.user_id), requestId };
      await noteEnd(deps, tx, { context, row });
    }
    return row !== undefined;
  }, SIGN_INS);
}
