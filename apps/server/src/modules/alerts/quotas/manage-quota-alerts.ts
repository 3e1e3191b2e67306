import type { QuotaAlerts } from "@turnpike/contract/alerts";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { listQuotaSettings, upsertQuotaSettings } from "./quota-alerts.store.ts";
import { QUOTA_SETTINGS_DEFAULT } from "./watch-quotas.ts";

/** Gets the quota thresholds that send notices. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function getQuotaAlerts(
  deps: AppServices,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<QuotaAlerts> {
  assertMayInTenant(context.actor, "alerts:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const [row] = await listQuotaSettings(tx, [tenantId]);
    const { thresholds, mailRoles } =
      row === undefined
        ? QUOTA_SETTINGS_DEFAULT
        : { thresholds: row.thresholds, mailRoles: row.mail_roles };
    return { thresholds: [...thresholds], mailRoles: [...mailRoles] };
  });
}

/**
 * Sets the quota thresholds that send notices, and the roles that get mail. Thresholds already notified in a period are not
 * notified again.
 *
 * @throws {AppError} As {@link getQuotaAlerts}.
 */
export async function setQuotaAlerts(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; thresholds: readonly number[]; mailRoles: readonly Role[] },
): Promise<QuotaAlerts> {
  const { tenantId } = input;
  assertMayInTenant(context.actor, "alerts:write", tenantId);
  const thresholds = [...new Set(input.thresholds)].sort((one, other) => one - other);
  const mailRoles = [...new Set(input.mailRoles)];
  await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    await upsertQuotaSettings(tx, {
      tenant_id: tenantId,
      thresholds,
      mail_roles: mailRoles,
      updated_at: deps.clock.now(),
    });
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "quota_alerts.updated",
      entityType: "tenant",
      entityId: tenantId,
      details: { thresholds, mailRoles },
    });
  });
  return { thresholds, mailRoles };
}
