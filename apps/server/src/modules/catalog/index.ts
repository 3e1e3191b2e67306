export { applyCatalog, seedCatalog } from "./apply-catalog.ts";
export { createCatalogRoutes } from "./catalog.routes.ts";
export { findPlanVersion, listMeterRows } from "./catalog.store.ts";
export { listPlans } from "./list-catalog.ts";
export { createPublicCatalog, type PublicCatalog } from "./public-catalog.ts";
