export { createDocumentsJobs } from "./documents.jobs.ts";
export { createDocumentsRawRoutes, createDocumentsRoutes } from "./documents.routes.ts";
export { documentsOfPerson } from "./documents-of-person.store.ts";
export { documentsOfTenant } from "./documents-of-tenant.store.ts";
export { listDocuments } from "./read-documents.ts";
export { putDocument } from "./write-document.ts";
