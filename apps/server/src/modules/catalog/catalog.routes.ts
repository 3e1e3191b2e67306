import { implement } from "@orpc/server";
import { catalogContract } from "@turnpike/contract/catalog";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { applyCatalog } from "./apply-catalog.ts";
import { createMeter } from "./create-meter.ts";
import { listMeters, listMeterVersions, toMeterReply } from "./list-meters.ts";
import { listPlans } from "./list-plans.ts";
import { updateMeter } from "./update-meter.ts";

export function createCatalogRoutes(deps: AppServices) {
  const os = implement(catalogContract).$context<HttpContext>();
  return os.router({
    listPlans: os.listPlans.handler(({ context }) => listPlans(deps, context.findCall())),
    listMeters: os.listMeters.handler(({ context }) => listMeters(deps, context.findCall())),
    createMeter: os.createMeter.handler(async ({ input, context }) =>
      toMeterReply(await createMeter(deps, context.call(), input)),
    ),
    updateMeter: os.updateMeter.handler(async ({ input, context }) =>
      toMeterReply(await updateMeter(deps, context.call(), input)),
    ),
    listMeterVersions: os.listMeterVersions.handler(({ input, context }) =>
      listMeterVersions(deps, context.call(), input),
    ),
    apply: os.apply.handler(({ input, context }) => applyCatalog(deps, context.call(), input)),
  });
}
