import { implement } from "@orpc/server";
import { tenantTermsContract } from "@turnpike/contract/tenant-terms";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { getTenantTerms, type LimitsNotices, setTenantTerms } from "./tenant-terms.ts";

export function createTenantTermsRoutes(deps: AppServices & LimitsNotices) {
  const os = implement(tenantTermsContract).$context<HttpContext>();
  return os.router({
    get: os.get.handler(({ input, context }) => getTenantTerms(deps, context.call(), input)),
    put: os.put.handler(({ input, context }) => setTenantTerms(deps, context.call(), input)),
  });
}
