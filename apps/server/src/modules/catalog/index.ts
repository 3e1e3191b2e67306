export { type AppliedCatalog, applyCatalog, seedCatalog } from "./apply-catalog.ts";
export { createCatalogRoutes } from "./catalog.routes.ts";
export {
  findPlanVersion,
  listMeterRows,
  listMeterVersionRows,
} from "./catalog.store.ts";
export { createMeter } from "./change-meter.ts";
export { findCatalogFaults } from "./find-catalog-faults.ts";
export { findUnapplied } from "./find-unapplied.ts";
export { listMeters, listPlans } from "./list-catalog.ts";
export { createPublicCatalog, type PublicCatalog } from "./public-catalog.ts";
export { findQuotaFault } from "./publish-meters.ts";
