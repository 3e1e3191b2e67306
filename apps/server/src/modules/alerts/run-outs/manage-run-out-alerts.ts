import type { RunOutAlerts } from "@turnpike/contract/alerts";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { readRunOutSettings } from "./notify-of-run-outs.ts";
import { upsertRunOutSettings } from "./run-out-alerts.store.ts";

/**
 * Gets how long before something runs out members get a notice, and which roles get mail.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function getRunOutAlerts(
  deps: AppServices,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<RunOutAlerts> {
  assertMayInTenant(context.actor, "alerts:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const { days, mailRoles } = await readRunOutSettings(tx, tenantId);
    return { days, mailRoles: [...mailRoles] };
  });
}

/** Sets how long before something runs out members get a notice. @throws {AppError} As {@link getRunOutAlerts}. */
export async function setRunOutAlerts(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; days: number | null; mailRoles: readonly Role[] },
): Promise<RunOutAlerts> {
  const { tenantId, days } = input;
  assertMayInTenant(context.actor, "alerts:write", tenantId);
  const mailRoles = [...new Set(input.mailRoles)];
  await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    await upsertRunOutSettings(tx, tenantId, {
      days,
      mail_roles: mailRoles,
      updated_at: deps.clock.now(),
    });
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "run_out_alerts.updated",
      entityType: "tenant",
      entityId: tenantId,
      details: { days, mailRoles },
    });
  });
  return { days, mailRoles };
}
