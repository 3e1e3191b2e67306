export { listAudit } from "./list-audit.ts";
export { writeAudit } from "./write-audit.ts";
