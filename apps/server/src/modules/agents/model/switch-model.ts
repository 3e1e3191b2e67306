import type { ModelState, ModelSwitch } from "@turnpike/contract/model-answers";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { hostOf, type ModelSettings } from "./model-settings.ts";
import { findSwitch, putSwitch, type SwitchRow } from "./model-switch.store.ts";
import { countTokens } from "./model-tokens.store.ts";

/** The UTC day of an instant, such as `2026-06-03`. */
export function toDay(now: Date): string {
  return now.toISOString().slice(0, 10);
}

function toSwitchReply(row: SwitchRow | undefined): ModelSwitch {
  return { isOn: row?.is_on ?? true, changedAt: row?.changed_at.toISOString() ?? null };
}

/** Reads the operator's switch. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function getModelSwitch(
  deps: AppServices,
  context: CallContext,
): Promise<ModelSwitch> {
  assertMay(context.actor, "tenants:write");
  return await deps.transact.asOperator(async (tx) => toSwitchReply(await findSwitch(tx)));
}

/**
 * Switches the language model off or on for all tenants. Every process reads it before each call to the model.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function setModelSwitch(
  deps: AppServices,
  context: CallContext,
  { isOn }: { isOn: boolean },
): Promise<ModelSwitch> {
  assertMay(context.actor, "tenants:write");
  return await deps.transact.asOperator(async (tx) => {
    const row = { is_on: isOn, changed_at: deps.clock.now() };
    await putSwitch(tx, row);
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: `model.switched_${isOn ? "on" : "off"}`,
      entityType: "model",
      entityId: "model",
    });
    return toSwitchReply(row);
  });
}

/** Says which model a tenant's questions may be sent to. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function getModelState(
  deps: AppServices & { model: ModelSettings | undefined },
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<ModelState> {
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const { model } = deps;
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    if (model === undefined) {
      return { model: null };
    }
    const isOn = model.isEnabled && ((await findSwitch(tx))?.is_on ?? true);
    const tokensUsed = await countTokens(tx, { tenantId, day: toDay(deps.clock.now()) });
    const { name, tokensPerDay } = model;
    return { model: { name, host: hostOf(model), isOn, tokensPerDay, tokensUsed } };
  });
}
