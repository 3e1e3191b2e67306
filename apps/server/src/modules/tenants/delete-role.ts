import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { nameOfRole, type RoleName, titleOfRole } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { CustomRoleId, TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { getHeldRole, listHeldRoles } from "./find-role.ts";
import { assertMayGrant } from "./member-authority.ts";
import { listMemberRowsOfRole } from "./members.store.ts";
import { countRoleUse, deleteCustomRole, replaceRole } from "./roles.store.ts";
import { settleRole } from "./settle-role.ts";

function inUse(members: number, invitations: number): AppError {
  return new AppError({
    code: "CONFLICT",
    publicMessage: `The role is in use (members: ${String(members)}, open invitations: ${String(invitations)}): choose the role that takes its place.`,
  });
}

/**
 * Deletes a role of the tenant's own. Its members, and invitations to it, get the replacement at once.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` for a role in use without a replacement; `INVALID_REQUEST` for a
 *   replacement that the tenant does not have; `INSUFFICIENT_SCOPE` for either above the actor's own.
 */
export async function deleteRole(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; roleId: CustomRoleId; replacement?: RoleName | undefined },
): Promise<void> {
  const { tenantId, roleId, replacement } = input;
  assertMayInTenant(context.actor, "members:write", tenantId);
  await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const role = (await listHeldRoles(tx, tenantId)).find((one) => nameOfRole(one) === roleId);
      if (role === undefined) {
        throw resourceNotFound("role");
      }
      await assertMayGrant(tx, context.actor, { tenantId, roles: [role] });
      const uses = await countRoleUse(tx, tenantId, deps.clock.now());
      const use = uses.find((one) => one.role === roleId);
      if (use !== undefined && (replacement === undefined || replacement === roleId)) {
        throw inUse(use.members, use.invitations);
      }
      // Of a role that is not in use, only invitations that have expired are left, and they give nothing.
      const next = await getHeldRole(tx, tenantId, replacement ?? "viewer", "/replacement");
      if (use !== undefined) {
        await assertMayGrant(tx, context.actor, { tenantId, roles: [next] });
      }
      const members = await listMemberRowsOfRole(tx, tenantId, roleId);
      await replaceRole(tx, tenantId, { from: roleId, to: nameOfRole(next) });
      await deleteCustomRole(tx, tenantId, roleId);
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "role.deleted",
        entityType: "role",
        entityId: roleId,
        details: {
          name: titleOfRole(role),
          replacement: use === undefined ? null : titleOfRole(next),
        },
      });
      for (const member of members) {
        const userId = member.user_id;
        await settleRole(deps, tx, context, { tenantId, userId, before: member, role: next });
        await writeAudit(deps, tx, context, {
          tenantId,
          action: "member.role_changed",
          entityType: "member",
          entityId: userId,
          details: { role: [titleOfRole(role), titleOfRole(next)] },
        });
        await publishEvent(deps, tx, {
          tenantId,
          type: "member.role_changed",
          data: { tenantId, userId, role: nameOfRole(next), before: roleId },
        });
      }
    },
    { holder: tenantId },
  );
}
