import type { BillingPlace } from "#platform/billing-queries.ts";
import { useCurrentEnvironment } from "#platform/current-environment.ts";

/** The billing that the address names: of the sandbox for `environment=test`, else live. */
export function useBillingPlace(tenantId: BillingPlace["tenantId"]): BillingPlace {
  const environment = useCurrentEnvironment();
  return { tenantId, environment: environment === "test" ? "test" : "live" };
}
