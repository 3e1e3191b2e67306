import { implement } from "@orpc/server";
import { forecastsContract } from "@turnpike/contract/forecasts";
import { nameSenderIn } from "@turnpike/domain/access/actor";
import type { HttpContext } from "#http/http-context.ts";
import type { Queue } from "#modules/analytics/index.ts";
import { forecastExhaustion } from "./forecast-exhaustion.ts";
import { forecastInvoice, type MoneyForecastDeps } from "./forecast-invoice.ts";
import { forecastUsage } from "./forecast-usage.ts";

export function createForecastsRoutes(deps: MoneyForecastDeps & { inTurn: Queue }) {
  const os = implement(forecastsContract).$context<HttpContext>();
  return os.router({
    usage: os.usage.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        forecastUsage(deps, call, input),
      );
    }),
    invoice: os.invoice.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        forecastInvoice(deps, call, input),
      );
    }),
    exhaustion: os.exhaustion.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        forecastExhaustion(deps, call, input),
      );
    }),
  });
}
