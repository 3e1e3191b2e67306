export { createDocumentsJobs } from "./documents.jobs.ts";
export { createDocumentsRawRoutes, createDocumentsRoutes } from "./documents.routes.ts";
