import {
  SCIM_TOKENS_MAX,
  type Scim,
  type ScimToken,
  type ScimTokenWithSecret,
} from "@turnpike/contract/scim";
import type { Tx } from "@turnpike/db/client";
import {
  assertMayInTenant,
  assertMayLearnSecret,
  type CallContext,
} from "@turnpike/domain/access/actor";
import { nameOfRole, titleOfRole } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { findTenantRow, listHeldRoles } from "#modules/tenants/index.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { shareOf } from "#platform/transact.ts";
import { hashSecret } from "../sign-in/secrets.ts";
import { SCIM_PATH, type ScimDeps } from "./scim-deps.ts";
import { countGroupMembers, listScimGroups } from "./scim-groups.store.ts";
import { listScimRequests } from "./scim-requests.store.ts";
import {
  deleteScimToken,
  insertScimToken,
  listScimTokens,
  type ScimTokenRow,
} from "./scim-tokens.store.ts";
import { countByState } from "./scim-users.store.ts";

const SECRET_BYTES = 32;
const PREFIX = "scim_";
const START_LENGTH = 9;

function toTokenReply(row: ScimTokenRow): ScimToken {
  return {
    scimTokenId: row.scim_token_id,
    start: row.start,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

async function listGroups(tx: Tx, tenantId: TenantId): Promise<Scim["groups"]> {
  const [groups, counts, roles] = [
    await listScimGroups(tx, tenantId, undefined),
    await countGroupMembers(tx, tenantId),
    await listHeldRoles(tx, tenantId),
  ];
  const titles = new Map(roles.map((role) => [nameOfRole(role), titleOfRole(role)]));
  return groups.map((row) => ({
    name: row.display_name,
    role: titles.get(row.role) ?? row.role,
    members: counts.get(row.scim_group_id) ?? 0,
  }));
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` without `sso:read`. */
export async function getScim(
  deps: ScimDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<Scim> {
  assertMayInTenant(context.actor, "sso:read", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    if ((await findTenantRow(tx, tenantId)) === undefined) {
      throw resourceNotFound("tenant");
    }
    return {
      tenantId,
      baseUrl: `${deps.consoleUrl}${SCIM_PATH}`,
      tokens: (await listScimTokens(tx, tenantId)).map(toTokenReply),
      people: await countByState(tx, tenantId),
      groups: await listGroups(tx, tenantId),
      requests: (await listScimRequests(tx, tenantId)).map((row) => ({
        requestId: row.request_id,
        at: row.occurred_at.toISOString(),
        operation: row.operation,
        subject: row.subject,
        status: row.status,
        detail: row.detail,
      })),
    };
  }, shareOf(context.actor));
}

/**
 * Makes a token for the tenant's directory. Only this answer shows it.
 *
 * @throws {AppError} `CONFLICT` when there are two; `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` without `sso:write`.
 */
export async function createScimToken(
  deps: ScimDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<ScimTokenWithSecret> {
  assertMayInTenant(context.actor, "sso:write", tenantId);
  assertMayLearnSecret(context.actor, tenantId);
  return await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    if ((await listScimTokens(tx, tenantId)).length >= SCIM_TOKENS_MAX) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: `A tenant has at most ${String(SCIM_TOKENS_MAX)} tokens for its directory. Revoke one first.`,
      });
    }
    const secret = PREFIX + Buffer.from(deps.randomBytes(SECRET_BYTES)).toString("base64url");
    const row: ScimTokenRow = {
      tenant_id: tenantId,
      scim_token_id: deps.newId("scimToken"),
      start: secret.slice(0, START_LENGTH),
      created_at: deps.clock.now(),
      created_by: `${context.actor.type}:${context.actor.id}`,
      last_used_at: null,
    };
    await insertScimToken(tx, { ...row, token_hash: hashSecret(secret) });
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "scim_token.created",
      entityType: "scim_token",
      entityId: row.scim_token_id,
      details: { start: row.start },
    });
    return { ...toTokenReply(row), secret };
  }, shareOf(context.actor));
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` without `sso:write`. */
export async function revokeScimToken(
  deps: ScimDeps,
  context: CallContext,
  { tenantId, scimTokenId }: { tenantId: TenantId; scimTokenId: string },
): Promise<void> {
  assertMayInTenant(context.actor, "sso:write", tenantId);
  await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    if (!(await deleteScimToken(tx, tenantId, scimTokenId))) {
      throw resourceNotFound("token");
    }
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "scim_token.revoked",
      entityType: "scim_token",
      entityId: scimTokenId,
    });
  }, shareOf(context.actor));
}
