import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { countPlanSubscribers } from "#modules/entitlements/index.ts";
import type { AppServices } from "#platform/app-services.ts";

/** Counts the tenants that have a plan, newest version first. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function countSubscribers(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { planId }: { planId: string },
): Promise<{ items: { version: number; subscribers: number }[] }> {
  assertMay(context.actor, "billing:read");
  return { items: await deps.transact.asOperator((tx) => countPlanSubscribers(tx, planId)) };
}
