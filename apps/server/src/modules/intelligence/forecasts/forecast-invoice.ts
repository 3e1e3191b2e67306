import {
  FORECAST_DAYS,
  FORECAST_DAYS_NEEDED,
  type InvoiceForecast,
  type MoneyBand,
} from "@turnpike/contract/forecasts";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import {
  type MinorBand,
  type ProjectedInvoice,
  toMinorBand,
} from "@turnpike/domain/billing/projection/project-invoices";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";
import { type BillingDeps, openProjection, type Projection } from "#modules/billing/index.ts";
import { findKeptMisses } from "./find-misses.ts";
import { readEntitlement } from "./forecast-usage.ts";
import type { MeterDays } from "./forecast-work.ts";
import { listCompared } from "./kept-forecasts.store.ts";
import type { ReadDays } from "./read-days.ts";
import { type ForecastDeps, readUsageDays } from "./read-usage-days.ts";

/** Three months and their days, or the last one of a longer period. */
const COMPARED_MS = 400 * DAY_MS;

export type MoneyForecastDeps = ForecastDeps & BillingDeps;

export function toMoneyBand(band: MinorBand, currency: Currency): MoneyBand {
  const money = (part: keyof MinorBand) => formatMinor(band[part], currency);
  return {
    mean: money("mean"),
    lower80: money("lower80"),
    upper80: money("upper80"),
    lower95: money("lower95"),
    upper95: money("upper95"),
  };
}

/** Meters with a price that are used, and how many days the one has that is known shortest. */
export function choosePriced(
  { meters }: ReadDays,
  { meters: priced }: Projection,
): { used: MeterDays[]; days: number } {
  const used = meters
    .filter(({ meter, days }) => priced.includes(meter) && days.values.length > 0)
    .map(({ meter, days }) => ({ meterId: meter, days }));
  const counts = used.map(({ days }) => days.values.length);
  return { used, days: counts.length === 0 ? FORECAST_DAYS_NEEDED : Math.min(...counts) };
}

function toProjectedInvoice(projected: ProjectedInvoice, { describe, currency }: Projection) {
  return {
    issuesAt: new Date(projected.issuesAtMs).toISOString(),
    total: toMoneyBand(projected.total, currency),
    due: toMoneyBand(projected.due, currency),
    ...describe(projected),
  };
}

function sumBands(bands: readonly MinorBand[]): MinorBand {
  return toMinorBand((part) => bands.reduce((sum, band) => sum + band[part], 0n));
}

/**
 * Projects the invoices that a tenant will get within 90 days: usage as it is forecast, through what bills.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`; `CONFLICT` when there is no rate of tax; `QUERY_TOO_COSTLY`;
 *   `OVERLOADED`.
 */
export async function forecastInvoice(
  deps: MoneyForecastDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<InvoiceForecast> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  const entitlement = await readEntitlement(deps, tenantId);
  const needed: typeof FORECAST_DAYS_NEEDED = FORECAST_DAYS_NEEDED;
  const nowMs = deps.clock.now().getTime();
  const compared = await deps.transact.asTenant(tenantId, (tx) =>
    listCompared(tx, tenantId, { endedAfter: new Date(nowMs - COMPARED_MS) }),
  );
  const base = {
    tenantId,
    asOf: new Date(nowMs).toISOString(),
    accuracy: findKeptMisses(compared, "invoice"),
  };
  const projection = await openProjection(deps, context, { tenantId });
  if (projection === undefined) {
    return {
      ...base,
      currency: entitlement.terms.currency,
      state: "no_invoice",
      history: { days: 0, needed },
      runningTotal: null,
      invoices: [],
      days90: null,
    };
  }
  const { projected, currency } = projection;
  const { used, days } = choosePriced(await readUsageDays(deps, entitlement, "UTC"), projection);
  const isEnough = days >= needed;
  const result = await deps.forecaster.run("invoice", {
    projected,
    meters: used,
    toMs: isEnough ? nowMs + FORECAST_DAYS * DAY_MS : nowMs,
  });
  if (result === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage:
        "The rate of tax for this customer is not set up yet, so no price can be named. The operator has to add it.",
      extensions: { reason: "no_tax_rate" },
    });
  }
  const { runningTotal, invoices } = result;
  const total = isEnough ? sumBands(invoices.map((invoice) => invoice.total)) : undefined;
  return {
    ...base,
    currency: currency.code,
    state: isEnough ? "forecast" : "not_enough_history",
    history: { days, needed },
    runningTotal: runningTotal === undefined ? null : formatMinor(runningTotal, currency),
    invoices: isEnough ? invoices.map((invoice) => toProjectedInvoice(invoice, projection)) : [],
    days90: total === undefined ? null : toMoneyBand(total, currency),
  };
}
