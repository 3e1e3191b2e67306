import type { Tx } from "@turnpike/db/client";

/** What tenants need of the catalogue, which stands above them. */
export interface PlanDirectory {
  /** The newest version of `planId`, or of the default plan; `undefined` when there is none. */
  findPlan(
    tx: Tx,
    planId: string | undefined,
  ): Promise<{ planId: string; version: number } | undefined>;
}
