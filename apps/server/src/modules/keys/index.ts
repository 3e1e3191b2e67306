export { createKey } from "./create-key.ts";
export { createServiceKey } from "./create-service-key.ts";
export { ensureHistoryKey, historyKeyIdOf } from "./ensure-history-key.ts";
export { getKey } from "./get-key.ts";
export { createGithubSigningKeys } from "./github-signing-keys.ts";
export { hashKey } from "./hash-key.ts";
export { importKeys } from "./import-keys.ts";
export {
  createKeyDirectory,
  type KeyDirectory,
  type KeyRecord,
} from "./key-directory.ts";
export { createKeyImportRoutes } from "./key-import.routes.ts";
export { createKeysJobs } from "./keys.jobs.ts";
export type { KeyUsage } from "./keys.ports.ts";
export { createKeysRoutes, createServiceKeysRoutes } from "./keys.routes.ts";
export { isKeyActive, listKeyNames, listKeysNamed } from "./keys.store.ts";
export { keysOfTenant } from "./keys-of-tenant.store.ts";
export { createLeaksRawRoutes } from "./leaks.routes.ts";
export { listPublicKeys } from "./leaks.store.ts";
export { listKeys } from "./list-keys.ts";
export { listServiceKeys } from "./list-service-keys.ts";
export { memberKeys } from "./member-keys.ts";
export { revokeKey } from "./revoke-key.ts";
export { revokeServiceKey } from "./revoke-service-key.ts";
export { rollKey } from "./roll-key.ts";
export { updateKey } from "./update-key.ts";
