import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "./api-client.ts";
import { askAgainIn } from "./ask-again-in.ts";
import type { OwnTenant } from "./current-tenant.ts";

type Forecasts = ApiClient["forecasts"];
type TenantId = OwnTenant["tenantId"];

export type UsageForecast = Awaited<ReturnType<Forecasts["usage"]>>;
export type MeterForecast = UsageForecast["meters"][number];
export type InvoiceForecast = Awaited<ReturnType<Forecasts["invoice"]>>;
export type ProjectedInvoice = InvoiceForecast["invoices"][number];
export type Exhaustion = Awaited<ReturnType<Forecasts["exhaustion"]>>["items"][number];
export type ForecastMiss = MeterForecast["accuracy"][number];

/** Forecasts change when an hour has settled; a screen that stays open notices within this time, in milliseconds. */
const REFRESH_MS = 10 * 60_000;

export function usageForecastQuery(api: ApiClient, tenantId: TenantId, timeZone: string) {
  return queryOptions({
    queryKey: ["forecasts", tenantId, "usage", timeZone],
    queryFn: ({ signal }): Promise<UsageForecast> =>
      api.forecasts.usage({ tenantId, timeZone }, { signal }),
    refetchInterval: askAgainIn(REFRESH_MS),
  });
}

export function invoiceForecastQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ["forecasts", tenantId, "invoice"],
    queryFn: ({ signal }): Promise<InvoiceForecast> =>
      api.forecasts.invoice({ tenantId }, { signal }),
    refetchInterval: askAgainIn(REFRESH_MS),
  });
}

export function exhaustionQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ["forecasts", tenantId, "exhaustion"],
    queryFn: ({ signal }): Promise<Exhaustion[]> =>
      api.forecasts.exhaustion({ tenantId }, { signal }).then(({ items }) => items),
    refetchInterval: askAgainIn(REFRESH_MS),
  });
}
