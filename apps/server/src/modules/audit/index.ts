export { createAuditRawRoutes, createAuditRoutes } from "./audit.routes.ts";
export { listTracesOf } from "./audit.store.ts";
export { exportAudit } from "./export-audit.ts";
export { listAllAudit, listAudit, listInstallationAudit } from "./list-audit.ts";
export { trailOfPerson } from "./trail-of-person.store.ts";
export { writeAudit } from "./write-audit.ts";
