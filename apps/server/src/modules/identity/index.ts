export { ensureUser } from "./ensure-user.ts";
export type { RoleDirectory } from "./identity.ports.ts";
export { createSetupRoutes } from "./identity.routes.ts";
export {
  addOperator,
  getUserByName,
  listOperators,
  listOperatorUsers,
  removeOperator,
} from "./manage-operators.ts";
export {
  type AttemptLimits,
  createAttemptLimits,
  createSharedAttemptLimits,
  toNetwork,
} from "./provider/attempt-limits.ts";
export { createProviderJobs } from "./provider/provider.jobs.ts";
export {
  createIdentityProvider,
  IDENTITY_PROVIDER_PREFIX,
  type IdentityProvider,
} from "./provider/provider.routes.ts";
export { offerSetupCode } from "./setup-code.ts";
export { type BuiltinProvider, createTrustedIssuers } from "./trusted-issuers.ts";
export { createUserDirectory, type UserDirectory } from "./user-directory.ts";
export { findUserEmail, listOperatorEmails } from "./users.store.ts";
export { createTokenVerifier, isIdToken } from "./verify-id-token.ts";
