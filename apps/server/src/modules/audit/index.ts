export { listAudit } from "./list-audit.ts";
export { type AuditEvent, writeAudit } from "./write-audit.ts";
