export type { FileStore } from "./file-store.ts";
export { createFilesJobs } from "./files.jobs.ts";
export { createFilesRawRoutes, createFilesRoutes } from "./files.routes.ts";
export { openLocalFileStore } from "./local-file-store.ts";
