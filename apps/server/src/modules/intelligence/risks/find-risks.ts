import type { TenantId } from "@turnpike/domain/ids/ids";
import type { BillingDeps } from "#modules/billing/index.ts";
import type { FoundInsight } from "../found-insight.ts";
import { findInvoiceRisks } from "./find-invoice-risks.ts";
import { findKeyChanges } from "./find-key-changes.ts";
import { findKeyRisks } from "./find-key-risks.ts";
import { findLimitRisks } from "./find-limit-risks.ts";

/** That a key has leaked outweighs what it may and whether it is used. */
function isSaid({ kind, facts: { action } }: FoundInsight, all: readonly FoundInsight[]): boolean {
  const isOfKey = (other: FoundInsight) =>
    "keyId" in action && "keyId" in other.facts.action && other.facts.action.keyId === action.keyId;
  return (
    (kind === "key_unused" || kind === "key_overbroad") &&
    all.some((other) => other.kind === "key_leaked" && isOfKey(other))
  );
}

/** Finds what needs attention beside what is unusual: keys, quotas, caps, credit, invoices and payments. */
export async function findRisks(deps: BillingDeps, tenantId: TenantId): Promise<FoundInsight[]> {
  const found = [
    ...(await findKeyRisks(deps, tenantId)),
    ...(await findKeyChanges(deps, tenantId)),
    ...(await findLimitRisks(deps, tenantId)),
    ...(await findInvoiceRisks(deps, tenantId)),
  ];
  return found.filter((insight) => !isSaid(insight, found));
}
