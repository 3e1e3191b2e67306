import { setTimeout as delay } from "node:timers/promises";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import {
  announceTenant,
  findTenantChange,
  listUnaware,
  type ServingProcess,
} from "./moving-tenants.store.ts";

/**
 * Two heartbeats of a process and a little more. One that is silent for longer has lost the database, and its gateway asks the
 * directory before it refuses a key.
 */
const SILENT_SECONDS = 25;
const LOOK_INTERVAL_MS = 50;

/**
 * Waits until every process of a cell has heard that a tenant arrived: until then it may remember that it does not know the keys.
 *
 * @returns The processes that have not heard of it in time; empty when all have.
 */
export async function waitUntilHeard(
  { transact, clock }: Pick<AppServices, "transact" | "clock">,
  { tenantId, timeoutMs }: { tenantId: TenantId; timeoutMs: number },
): Promise<Pick<ServingProcess, "nodeName">[]> {
  const madeAt = await transact.asOperator((tx) => announceTenant(tx, tenantId));
  const revision = await transact.asOperator((tx) => findTenantChange(tx, tenantId));
  const endMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const unaware = await transact.asOperator((tx) =>
      listUnaware(tx, { revision, madeAt, seconds: SILENT_SECONDS }),
    );
    if (unaware.length === 0 || clock.monotonicMs() >= endMs) {
      return unaware;
    }
    await delay(LOOK_INTERVAL_MS);
  }
}
