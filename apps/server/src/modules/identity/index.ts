export { ensureUser } from "./ensure-user.ts";
export { claimSetupCode, offerSetupCode } from "./setup-code.ts";
