export { ensureUser } from "./ensure-user.ts";
export { createSetupRoutes } from "./identity.routes.ts";
export { claimSetupCode, offerSetupCode } from "./setup-code.ts";
