import { CUSTOM_ROLES_MAX, type TenantRole } from "@turnpike/contract/roles";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import {
  BASIC_SCOPES,
  type CustomRole,
  canGrantRole,
  nameOfRole,
  SCOPES,
  type Scope,
} from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { CustomRoleId, TenantId, UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { toHeldRole } from "./held-role.ts";
import { listRoleReplies } from "./list-roles.ts";
import { assertMayGrant } from "./member-authority.ts";
import { findMemberRow, listMemberRowsOfRole } from "./members.store.ts";
import {
  type CustomRoleRow,
  insertCustomRole,
  listCustomRoleRows,
  listSendersToRole,
  updateCustomRole,
} from "./roles.store.ts";
import { settleRole } from "./settle-role.ts";
import { withdrawInvitationsBy } from "./withdraw-invitations.ts";

/** What is in every role is in each, in one order. */
function completeScopes(scopes: readonly Scope[]): Scope[] {
  const all: ReadonlySet<Scope> = new Set([...BASIC_SCOPES, ...scopes]);
  return SCOPES.filter((scope) => all.has(scope));
}

function toHeld(row: Pick<CustomRoleRow, "role_id" | "name" | "scopes">): CustomRole {
  const held = toHeldRole({ role: row.role_id, role_title: row.name, role_scopes: row.scopes });
  return held as CustomRole;
}

function assertNameIsFree(rows: readonly CustomRoleRow[], name: string): void {
  if (rows.some((row) => row.name.toLowerCase() === name.toLowerCase())) {
    const message = "Another role has this name.";
    throw new AppError({
      code: "ALREADY_EXISTS",
      publicMessage: message,
      errors: [{ pointer: "/name", message }],
    });
  }
}

async function getReply(
  deps: AppServices,
  tx: Tx,
  tenantId: TenantId,
  roleId: CustomRoleId,
): Promise<TenantRole> {
  const replies = await listRoleReplies(tx, tenantId, deps.clock.now());
  const reply = replies.find(({ role }) => role === roleId);
  if (reply === undefined) {
    throw resourceNotFound("role");
  }
  return reply;
}

/**
 * Makes a role of a tenant's own. Besides the given scopes it has those that every role has.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for a scope that the actor lacks; `ALREADY_EXISTS` (name);
 *   `CONFLICT` when the tenant has as many as it may.
 */
export async function createRole(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; name: string; description: string; scopes: readonly Scope[] },
): Promise<TenantRole> {
  const { tenantId, name, description } = input;
  assertMayInTenant(context.actor, "members:write", tenantId);
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const now = deps.clock.now();
      const row: CustomRoleRow = {
        ...{ tenant_id: tenantId, role_id: deps.newId("role"), name, description },
        scopes: completeScopes(input.scopes),
        ...{ created_at: now, updated_at: now },
        created_by: `${context.actor.type}:${context.actor.id}`,
      };
      await assertMayGrant(tx, context.actor, { tenantId, roles: [toHeld(row)] });
      const rows = await listCustomRoleRows(tx, tenantId);
      assertNameIsFree(rows, name);
      if (rows.length >= CUSTOM_ROLES_MAX) {
        throw new AppError({
          code: "CONFLICT",
          publicMessage: `A tenant can have ${String(CUSTOM_ROLES_MAX)} roles of its own: delete one that is not needed any more.`,
        });
      }
      await insertCustomRole(tx, row);
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "role.created",
        entityType: "role",
        entityId: row.role_id,
        details: { name, scopes: row.scopes },
      });
      return await getReply(deps, tx, tenantId, row.role_id);
    },
    { holder: tenantId },
  );
}

/**
 * Changes a role of the tenant's own. Its members have the new scopes at once. Members who may no longer give the role have no open
 * invitations to it, and members who lost a scope keep up nothing that takes it.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for a scope, of before or after, that the actor lacks;
 *   `ALREADY_EXISTS` (name).
 */
export async function updateRole(
  deps: AppServices,
  context: CallContext,
  input: {
    tenantId: TenantId;
    roleId: CustomRoleId;
    name?: string | undefined;
    description?: string | undefined;
    scopes?: readonly Scope[] | undefined;
  },
): Promise<TenantRole> {
  const { tenantId, roleId } = input;
  assertMayInTenant(context.actor, "members:write", tenantId);
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const rows = await listCustomRoleRows(tx, tenantId);
      const before = rows.find((row) => row.role_id === roleId);
      if (before === undefined) {
        throw resourceNotFound("role");
      }
      const after: CustomRoleRow = {
        ...before,
        name: input.name ?? before.name,
        description: input.description ?? before.description,
        scopes: input.scopes === undefined ? before.scopes : completeScopes(input.scopes),
        updated_at: deps.clock.now(),
      };
      const roles = [toHeld(before), toHeld(after)];
      await assertMayGrant(tx, context.actor, { tenantId, roles });
      assertNameIsFree(
        rows.filter((row) => row !== before),
        after.name,
      );
      const members = await listMemberRowsOfRole(tx, tenantId, roleId);
      await updateCustomRole(tx, after);
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "role.updated",
        entityType: "role",
        entityId: roleId,
        details: {
          name: [before.name, after.name],
          added: after.scopes.filter((scope) => !before.scopes.includes(scope)),
          removed: before.scopes.filter((scope) => !after.scopes.includes(scope)),
        },
      });
      for (const member of members) {
        const input = { tenantId, userId: member.user_id, before: member, role: toHeld(after) };
        await settleRole(deps, tx, context, input);
      }
      await withdrawFromSendersBelow(deps, tx, context, { tenantId, role: toHeld(after) });
      return await getReply(deps, tx, tenantId, roleId);
    },
    { holder: tenantId },
  );
}

/** Ends the open invitations to a role that members sent who may no longer give it. */
async function withdrawFromSendersBelow(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  { tenantId, role }: { tenantId: TenantId; role: CustomRole },
): Promise<void> {
  for (const createdBy of await listSendersToRole(tx, tenantId, role.roleId)) {
    const userId = createdBy.replace(/^user:/, "") as UserId;
    const sender = await findMemberRow(tx, tenantId, userId);
    if (sender !== undefined && !canGrantRole(toHeldRole(sender), role)) {
      const roles = [nameOfRole(role)];
      await withdrawInvitationsBy(deps, tx, context, { tenantId, userId, roles });
    }
  }
}
