import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { insertChange } from "#platform/changes.store.ts";
import { findMemberRow, upsertMember } from "./members.store.ts";

/** Makes a person a member whom the tenant's own provider vouches for. A member keeps their role. Needs the operator role. */
export async function joinBySso(
  deps: AppServices,
  tx: Tx,
  input: { tenantId: TenantId; userId: UserId; role: Role },
): Promise<void> {
  const { tenantId, userId, role } = input;
  await lockTenant(tx, tenantId);
  if ((await findMemberRow(tx, tenantId, userId)) !== undefined) {
    return;
  }
  if (!(await upsertMember(tx, { ...input, now: deps.clock.now() }))) {
    throw resourceNotFound("user");
  }
  const person = { type: "user", id: userId, isOperator: false, roles: new Map() } as const;
  await writeAudit(
    deps,
    tx,
    { actor: person, requestId: deps.newId("request") },
    {
      tenantId,
      action: "member.added",
      entityType: "member",
      entityId: userId,
      details: { role: [null, role], by: "sso" },
    },
  );
  await publishEvent(deps, tx, {
    tenantId,
    type: "member.added",
    data: { tenantId, userId, role },
  });
  await insertChange(tx, { kind: "user", tenantId, entityId: userId });
}
