export { createDocumentsJobs } from "./documents.jobs.ts";
export type { ChangeSource, FindCaller } from "./documents.ports.ts";
export {
  createDocumentsRawRoutes,
  createDocumentsRoutes,
  type DocumentStreamsDeps,
} from "./documents.routes.ts";
export { getDocument, listDocuments } from "./read-documents.ts";
export { deleteDocument, putDocument } from "./write-document.ts";
