import { implement } from "@orpc/server";
import { forecastsContract } from "@turnpike/contract/forecasts";
import { nameSenderIn } from "@turnpike/domain/access/actor";
import type { HttpContext } from "#http/http-context.ts";
import type { Queue } from "#modules/analytics/index.ts";
import { forecastUsage } from "./forecast-usage.ts";
import type { ForecastDeps } from "./read-usage-days.ts";

export function createForecastsRoutes(deps: ForecastDeps & { inTurn: Queue }) {
  const os = implement(forecastsContract).$context<HttpContext>();
  return os.router({
    usage: os.usage.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        forecastUsage(deps, call, input),
      );
    }),
  });
}
