export { listTracesOf } from "./audit.store.ts";
export { listAudit, listInstallationAudit } from "./list-audit.ts";
export { trailOfPerson } from "./trail-of-person.store.ts";
export { writeAudit } from "./write-audit.ts";
