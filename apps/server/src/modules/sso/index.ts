export { createDirectoryArrivals } from "./scim/arrivals.ts";
export { createScimMount, createScimRoutes } from "./scim/scim.routes.ts";
export { createSingleSignOn } from "./single-sign-on.ts";
export type { FindTxtRecords, SsoDeps } from "./sso.ports.ts";
export { createSsoRoutes } from "./sso.routes.ts";
export { ssoOfTenant } from "./sso-of-tenant.store.ts";
