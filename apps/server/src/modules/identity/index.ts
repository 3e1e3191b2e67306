export { adoptAccount } from "./accounts/adopt-account.ts";
export { endSignIns } from "./accounts/end-sign-ins.ts";
export type { PersonAgents } from "./accounts/provider.ports.ts";
export {
  type AttemptLimits,
  createAttemptLimits,
  createClusterAttemptLimits,
  createSharedAttemptLimits,
  toNetwork,
} from "./attempts/attempt-limits.ts";
export { createCodeExchangeRoutes } from "./code-exchange/code-exchange.routes.ts";
export {
  createDeviceRawRoutes,
  createDeviceRoutes,
  createPersonTokensRoutes,
} from "./devices/devices.routes.ts";
export { createPersonTokens, isPersonToken } from "./devices/person-tokens.ts";
export { resetFactors } from "./factors/reset-factors.ts";
export { acceptEmulatorTokens, isUnsignedToken } from "./firebase/emulator-tokens.ts";
export type { PersonResource, PersonTenants, RoleDirectory } from "./identity.ports.ts";
export { createSetupRoutes } from "./identity.routes.ts";
export { spendLogoutToken } from "./logout/end-provider-sessions.ts";
export { endSsoSignIns } from "./logout/end-sso-sign-ins.ts";
export { createLogoutRoutes } from "./logout/logout.routes.ts";
export { createAccountRoutes } from "./own-account/own-account.routes.ts";
export { embedProvider } from "./provider/embed-provider.ts";
export {
  createOidcAdapter,
  revokeGrant as revokeProviderGrant,
  toIdHash as toProviderIdHash,
} from "./provider/oidc-adapter.ts";
export { findProviderRecords } from "./provider/oidc-records.store.ts";
export { createProviderJobs } from "./provider/provider.jobs.ts";
export {
  createIdentityProvider,
  IDENTITY_PROVIDER_PREFIX,
  type IdentityProvider,
} from "./provider/provider.routes.ts";
export { assertFromOrigin, assertNotEmbedded } from "./provider/same-origin.routes.ts";
export type { SingleSignOn } from "./provider/sso-form.routes.ts";
export type { SsoSession } from "./provider/sso-session.ts";
export { toLibraryRequest } from "./provider/to-library-request.routes.ts";
export { offerSetupCode } from "./setup/setup-code.ts";
export { createIssuerKeys, type KeyFinder } from "./tokens/issuer-keys.ts";
export { toSessionId } from "./tokens/session-id.ts";
export { ClaimError as LogoutRefused } from "./tokens/token-claims.ts";
export {
  BUILTIN_ISSUER,
  type BuiltinProvider,
  createTrustedIssuers,
} from "./tokens/trusted-issuers.ts";
export { createTokenVerifier, isIdToken } from "./tokens/verify-id-token.ts";
export { verifyLogoutToken } from "./tokens/verify-logout-token.ts";
export { ensureUser } from "./users/ensure-user.ts";
export { keepLanguage } from "./users/keep-language.ts";
export {
  addOperator,
  getUserByName,
  listOperators,
  listOperatorUsers,
  removeOperator,
} from "./users/manage-operators.ts";
export { removeInventedUsers } from "./users/remove-invented-users.ts";
export { createUserDirectory, type UserDirectory } from "./users/user-directory.ts";
export { findUserEmail, findUserLanguage, listOperatorEmails } from "./users/users.store.ts";
export { isVouchedFor } from "./users/vouched-for.ts";
