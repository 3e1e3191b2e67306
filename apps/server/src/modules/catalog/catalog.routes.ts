import { implement } from "@orpc/server";
import { catalogContract } from "@turnpike/contract/catalog";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { applyCatalog } from "./apply-catalog.ts";
import { listMeters, listPlans } from "./list-catalog.ts";

export function createCatalogRoutes(deps: AppServices) {
  const os = implement(catalogContract).$context<HttpContext>();
  return os.router({
    listPlans: os.listPlans.handler(({ context }) => listPlans(deps, context.findCall())),
    listMeters: os.listMeters.handler(() => listMeters(deps)),
    apply: os.apply.handler(({ input, context }) => applyCatalog(deps, context.call(), input)),
  });
}
