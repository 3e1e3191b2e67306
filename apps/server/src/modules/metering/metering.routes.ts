import { implement } from "@orpc/server";
import { usageContract } from "@turnpike/contract/usage";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { getLimits, queryUsage } from "./query-usage.ts";

export function createUsageRoutes(deps: AppServices) {
  const os = implement(usageContract).$context<HttpContext>();
  return os.router({
    query: os.query.handler(({ input, context }) => queryUsage(deps, context.call(), input)),
    limits: os.limits.handler(({ input, context }) => getLimits(deps, context.call(), input)),
  });
}
