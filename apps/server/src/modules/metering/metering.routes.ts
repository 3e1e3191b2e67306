import { implement } from "@orpc/server";
import { limitsContract } from "@turnpike/contract/limits";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { getLimits } from "./ledger/get-limits.ts";

export function createLimitsRoutes(deps: AppServices) {
  const os = implement(limitsContract).$context<HttpContext>();
  return os.router({
    limits: os.limits.handler(({ input, context }) => getLimits(deps, context.call(), input)),
  });
}
