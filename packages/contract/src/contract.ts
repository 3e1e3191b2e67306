import { catalogContract } from "./catalog.ts";
import { keysContract, serviceKeysContract, setupContract } from "./keys.ts";
import { tenantsContract } from "./tenants.ts";
import { usageContract } from "./usage.ts";

/** Everything under `/v1`, by module. */
export const contract = {
  setup: setupContract,
  tenants: tenantsContract,
  catalog: catalogContract,
  keys: keysContract,
  serviceKeys: serviceKeysContract,
  usage: usageContract,
};
