export { type AppliedCatalog, applyCatalog, seedCatalog } from "./apply-catalog.ts";
export { createCatalogRoutes } from "./catalog.routes.ts";
export {
  findPlanVersion,
  findPlanVersionRow,
  listMeterRows,
  listMeterVersionRows,
  listPlanNames,
  listVersionTerms,
} from "./catalog.store.ts";
export { type CouponRow, findCoupon } from "./coupons/coupons.store.ts";
export { createMeter } from "./create-meter.ts";
export { type DeletedMeter, deleteMeter } from "./delete-meter.ts";
export { type CatalogDifference, diffCatalog } from "./diff-catalog.ts";
export { type ExportedCatalog, exportCatalog } from "./export-catalog.ts";
export { findCatalogFaults } from "./find-catalog-faults.ts";
export { findUnapplied } from "./find-unapplied.ts";
export { listMeters } from "./list-meters.ts";
export { listPlans } from "./list-plans.ts";
export { createPublicCatalog, type PublicCatalog } from "./public-catalog.ts";
export { findQuotaFault } from "./publish-meters.ts";
export { readOffer } from "./read-offer.ts";
export { archivePlan, restorePlan } from "./versions/archive-plan.ts";
export { getPublishableTerms } from "./versions/get-publishable-terms.ts";
export { listPlanDrafts } from "./versions/read-plan-drafts.ts";
