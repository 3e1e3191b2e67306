import { implement } from "@orpc/server";
import { setupContract } from "@turnpike/contract/auth";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { claimSetup } from "./claim-setup.ts";

export function createSetupRoutes(deps: AppServices) {
  const os = implement(setupContract).$context<HttpContext>();
  return os.router({
    claim: os.claim.handler(({ input, context }) => claimSetup(deps, context.call(), input)),
  });
}
