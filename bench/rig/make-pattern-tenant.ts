import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { seedCatalog } from "../../apps/server/src/modules/catalog/index.ts";
import { tenantPlans } from "../../apps/server/src/modules/entitlements/index.ts";
import { createKey } from "../../apps/server/src/modules/keys/index.ts";
import { createTenant } from "../../apps/server/src/modules/tenants/index.ts";
import type { Database } from "../../apps/server/src/platform/open-database.ts";

/** Makes the tenant with a key that `seedWatchedUsage` copies. */
export async function makePatternTenant(database: Database): Promise<TenantId> {
  const deps = { ...createLiveServices(database), plans: tenantPlans };
  await seedCatalog(deps, OPERATOR_CONTEXT, SAMPLE_CATALOG);
  const { tenantId } = await createTenant(deps, OPERATOR_CONTEXT, { name: "Bench" });
  await createKey(deps, OPERATOR_CONTEXT, {
    tenantId,
    environment: "live",
    name: "Bench",
    scopes: [],
    metadata: {},
  });
  return tenantId;
}
