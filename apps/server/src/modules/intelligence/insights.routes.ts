import { implement } from "@orpc/server";
import {
  allInsightsContract,
  insightsContract,
  installationInsightsContract,
} from "@turnpike/contract/insights";
import { nameSender, nameSenderIn } from "@turnpike/domain/access/actor";
import type { HttpContext } from "#http/http-context.ts";
import type { Queue } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  listInstallationInsights,
  refreshInstallationInsights,
  updateInstallationInsight,
} from "./installation/manage-installation-insights.ts";
import {
  listAllInsights,
  listInsights,
  refreshInsights,
  updateInsight,
} from "./manage-insights.ts";
import type { ScanDeps } from "./scan-tenant.ts";

export function createInsightsRoutes(deps: ScanDeps & { inTurn: Queue }) {
  const os = implement(insightsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listInsights(deps, context.call(), input)),
    refresh: os.refresh.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        refreshInsights(deps, call, input),
      );
    }),
    update: os.update.handler(({ input, context }) => updateInsight(deps, context.call(), input)),
  });
}

export function createAllInsightsRoutes(deps: AppServices) {
  const os = implement(allInsightsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listAllInsights(deps, context.call(), input)),
  });
}

export function createInstallationInsightsRoutes(deps: ScanDeps & { inTurn: Queue }) {
  const os = implement(installationInsightsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) =>
      listInstallationInsights(deps, context.call(), input),
    ),
    refresh: os.refresh.handler(({ context }) => {
      const call = context.call();
      return deps.inTurn(nameSender(call.actor), () => refreshInstallationInsights(deps, call));
    }),
    update: os.update.handler(({ input, context }) =>
      updateInstallationInsight(deps, context.call(), input),
    ),
  });
}
