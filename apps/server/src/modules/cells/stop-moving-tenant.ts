import { setTimeout as delay } from "node:timers/promises";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import {
  beginMoving,
  endMoving,
  listServingProcesses,
  type ServingProcess,
} from "./moving-tenants.store.ts";

/** How long a process that hears nothing trusts what it knows; the gateway refuses every call after that. */
const CUT_OFF_SECONDS = 600;
const LOOK_INTERVAL_MS = 200;

/**
 * Refuses the calls of a tenant (`TENANT_MOVING`) on every node of this cell, and waits until each process has finished the calls
 * under way and committed what they used: from then on nothing of the tenant changes in the ledger by calls.
 *
 * @returns The processes that have not answered in time; empty when all have stopped. Calls stay refused either way, until
 *   {@link resumeTenant}.
 */
export async function stopMovingTenant(
  deps: Pick<AppServices, "transact" | "clock">,
  { tenantId, timeoutMs }: { tenantId: TenantId; timeoutMs: number },
): Promise<ServingProcess[]> {
  const { transact, clock } = deps;
  await transact.asOperator((tx) => beginMoving(tx, tenantId));
  const endMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const serving = await transact.asOperator((tx) =>
      listServingProcesses(tx, { tenantId, seconds: CUT_OFF_SECONDS }),
    );
    if (serving.length === 0 || clock.monotonicMs() >= endMs) {
      return serving;
    }
    await delay(LOOK_INTERVAL_MS);
  }
}

/** Lets the calls of a tenant pass again that was to be moved. @returns False when they were not refused. */
export async function resumeTenant(
  { transact }: Pick<AppServices, "transact">,
  tenantId: TenantId,
): Promise<boolean> {
  return await transact.asOperator((tx) => endMoving(tx, tenantId));
}
