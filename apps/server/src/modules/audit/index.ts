export { listTracesOf } from "./audit.store.ts";
export { listAudit, listInstallationAudit } from "./list-audit.ts";
export { writeAudit } from "./write-audit.ts";
