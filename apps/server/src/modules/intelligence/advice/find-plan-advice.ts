import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { startOfMonth } from "@turnpike/domain/time/period";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { systemContext } from "../ask-usage.ts";
import type { FoundInsight } from "../found-insight.ts";
import { toFound } from "../risks/fact.ts";
import { type AdviceDeps, advisePlans } from "./advise-plans.ts";
import { describePlanAdvice } from "./describe-plan-advice.ts";
import { findKeptAdvice, type KeptPlanAdvice, saveKeptAdvice } from "./kept-plan-advice.store.ts";

/** @returns Null when nothing is worth telling; undefined where it could not be found out now. */
async function advise(deps: AdviceDeps, tenantId: TenantId): Promise<string | null | undefined> {
  try {
    const advice = await advisePlans(deps, systemContext(deps), { tenantId });
    return describePlanAdvice(advice) ?? null;
  } catch (error) {
    // The other insights are found all the same. What is too much to sum is tried again next month, and what a busy server refused in an hour.
    if (error instanceof AppError) {
      deps.logger.warn({ err: error, tenantId }, "No plans were tried for a tenant");
      return error.code === "OVERLOADED" ? undefined : null;
    }
    throw error;
  }
}

async function readAdvice(
  deps: AdviceDeps,
  tenantId: TenantId,
): Promise<KeptPlanAdvice | undefined> {
  const { entitlement, kept } = await deps.transact.asTenant(tenantId, async (tx) => ({
    entitlement: await findEntitlement(tx, tenantId),
    kept: await findKeptAdvice(tx, tenantId),
  }));
  if (entitlement === undefined) {
    return;
  }
  const { planId, planVersion } = entitlement;
  const now = deps.clock.now();
  const month = startOfMonth(now).toISOString().slice(0, 10);
  const isOfNow =
    kept?.month === month && kept.planId === planId && kept.planVersion === planVersion;
  if (isOfNow) {
    return kept;
  }
  const text = await advise(deps, tenantId);
  if (text === undefined) {
    return;
  }
  const made = { month, planId, planVersion, madeAt: now, text };
  await deps.transact.asTenant(tenantId, (tx) => saveKeptAdvice(tx, tenantId, made));
  return made;
}

/** Finds what a tenant should know of its plan: once a month, and again when its plan has changed. */
export async function findPlanAdvice(
  deps: AdviceDeps,
  tenantId: TenantId,
): Promise<FoundInsight[]> {
  const advice = await readAdvice(deps, tenantId);
  return advice === undefined || advice.text === null
    ? []
    : [
        toFound({
          kind: "plan_advice",
          fingerprint: `plan_advice ${advice.month} ${advice.planId} ${String(advice.planVersion)}`,
          sinceMs: advice.madeAt.getTime(),
          text: advice.text,
          action: { do: "change_plan" },
        }),
      ];
}
