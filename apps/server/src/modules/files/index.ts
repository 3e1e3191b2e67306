export { toAttachmentHeaders } from "./content-headers.ts";
export { type FileStore, FileTooLargeError, StorageFullError } from "./file-store.ts";
export { createFilesJobs } from "./files.jobs.ts";
export { createFilesRawRoutes, createFilesRoutes } from "./files.routes.ts";
export { filesOfTenant } from "./files-of-tenant.store.ts";
export { openLocalFileStore } from "./local-file-store.ts";
export { type FileStoreSettings, openFileStore } from "./open-file-store.ts";
export { createPostgresFileStore } from "./postgres-file-store.ts";
