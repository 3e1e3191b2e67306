import type { InvoiceForecast, UsageForecast } from "@turnpike/contract/forecasts";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findCurrency } from "@turnpike/domain/money/currency";
import { SCALE, toScaled } from "@turnpike/domain/money/decimal";
import { DAY_MS, HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import { type NotifyOfAlertDeps, notifyOfRunOuts } from "#modules/alerts/index.ts";
import { queryUsage } from "#modules/analytics/index.ts";
import { listInvoices } from "#modules/billing/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemContext } from "../ask-usage.ts";
import { listActiveTenants } from "../scan-tenants.ts";
import { forecastExhaustion } from "./forecast-exhaustion.ts";
import { forecastInvoice, type MoneyForecastDeps } from "./forecast-invoice.ts";
import { forecastUsage } from "./forecast-usage.ts";
import {
  deleteKeptBefore,
  hasKept,
  insertKept,
  type KeptForecast,
  listOpenPeriods,
  type OpenPeriod,
  settleKept,
} from "./kept-forecasts.store.ts";

/** Longer than four quarters. */
const KEPT_MS = 400 * DAY_MS;
/** Usage that is recorded late is in by then, and invoices are issued. */
const SETTLED_AFTER_MS = 6 * HOUR_MS;
/** What is not known by then never will be, such as an invoice that a change of plan has taken the place of. */
const GIVEN_UP_AFTER_MS = 14 * DAY_MS;
const UNIT_DIGITS = 6;
const INVOICES_MAX = 20;

type Keeping = Pick<KeptForecast, "madeOn">;

function toUsageRows({ meters }: UsageForecast, { madeOn }: Keeping): KeptForecast[] {
  return meters.flatMap(({ meter, period }): KeptForecast[] => {
    const units = (value: number) => value.toFixed(UNIT_DIGITS);
    return period === null
      ? []
      : [
          {
            measure: `meter:${meter}`,
            madeOn,
            periodFrom: new Date(period.from),
            periodTo: new Date(period.to),
            currency: null,
            mean: units(period.total.mean),
            lower80: units(period.total.lower80),
            upper80: units(period.total.upper80),
            actual: null,
          },
        ];
  });
}

/** Minor units of an amount in major units. */
function toMinor(amount: string, code: string): string {
  const digits = findCurrency(code)?.digits ?? 0;
  return ((toScaled(amount) * 10n ** BigInt(digits)) / SCALE).toString();
}

/** The next invoice, which is known by when it is issued. */
function toInvoiceRows(
  { invoices, currency }: InvoiceForecast,
  { madeOn }: Keeping,
): KeptForecast[] {
  const [next] = invoices;
  return next === undefined
    ? []
    : [
        {
          measure: "invoice",
          madeOn,
          periodFrom: new Date(next.from ?? next.issuesAt),
          periodTo: new Date(next.issuesAt),
          currency,
          mean: toMinor(next.total.mean, currency),
          lower80: toMinor(next.total.lower80, currency),
          upper80: toMinor(next.total.upper80, currency),
          actual: null,
        },
      ];
}

async function findUsed(
  deps: AppServices,
  tenantId: TenantId,
  { measure, periodFrom, periodTo }: OpenPeriod,
): Promise<string> {
  const { totals } = await queryUsage(deps, systemContext(deps), {
    tenantId,
    measures: ["billable"],
    meter: measure.slice("meter:".length),
    dimensions: [],
    environment: ["live"],
    from: periodFrom.toISOString(),
    to: periodTo.toISOString(),
    timeZone: "UTC",
    limit: 1,
  });
  return totals.billable ?? "0";
}

/** The total of the invoice of the period; undefined when there is none, because the plan was changed meanwhile. */
async function findInvoiced(
  deps: AppServices,
  tenantId: TenantId,
  { periodFrom, periodTo }: OpenPeriod,
): Promise<string | undefined> {
  const { items } = await listInvoices(deps, systemContext(deps), {
    tenantId,
    environment: "live",
    limit: INVOICES_MAX,
  });
  // It is issued soon after the period has ended, and other invoices are of other spans.
  const issued = items.find(
    ({ issuedAt, from }) =>
      Date.parse(issuedAt) >= periodTo.getTime() &&
      from !== null &&
      Date.parse(from) === periodFrom.getTime(),
  );
  return issued && toMinor(issued.total, issued.currency);
}

async function settle(deps: AppServices, tenantId: TenantId): Promise<void> {
  const now = deps.clock.now().getTime();
  const open = await deps.transact.asTenant(tenantId, (tx) =>
    listOpenPeriods(tx, tenantId, {
      endedAfter: new Date(now - GIVEN_UP_AFTER_MS),
      endedBefore: new Date(now - SETTLED_AFTER_MS),
    }),
  );
  for (const period of open) {
    const actual =
      period.measure === "invoice"
        ? await findInvoiced(deps, tenantId, period)
        : await findUsed(deps, tenantId, period);
    if (actual !== undefined) {
      await deps.transact.asTenant(tenantId, (tx) =>
        settleKept(tx, tenantId, { ...period, actual }),
      );
    }
  }
}

export type KeepDeps = MoneyForecastDeps & NotifyOfAlertDeps;

/**
 * Compares the forecasts of a tenant whose periods are over, tells its members what is forecast to run out, and keeps the forecasts of
 * today, the first of the day.
 */
async function keepForecastsOf(deps: KeepDeps, tenantId: TenantId): Promise<void> {
  const now = deps.clock.now();
  const madeOn = now.toISOString().slice(0, 10);
  await settle(deps, tenantId);
  if (await deps.transact.asTenant(tenantId, (tx) => hasKept(tx, tenantId, madeOn))) {
    return;
  }
  const context = systemContext(deps);
  const { items } = await forecastExhaustion(deps, context, { tenantId });
  await notifyOfRunOuts(deps, tenantId, items);
  const usage = await forecastUsage(deps, context, { tenantId, timeZone: "UTC" });
  const invoice = await forecastInvoice(deps, context, { tenantId });
  await deps.transact.asTenant(tenantId, async (tx) => {
    await insertKept(tx, tenantId, [
      ...toUsageRows(usage, { madeOn }),
      ...toInvoiceRows(invoice, { madeOn }),
    ]);
    await deleteKeptBefore(tx, tenantId, new Date(now.getTime() - KEPT_MS));
  });
}

/**
 * Keeps the forecasts of the day for every tenant with usage in the last three days. A tenant that fails does not hold up the others,
 * and is tried again with the next run.
 *
 * @returns How many tenants were looked at.
 */
export async function keepForecasts(deps: KeepDeps, signal: AbortSignal): Promise<number> {
  let kept = 0;
  for (const tenantId of await listActiveTenants(deps)) {
    if (signal.aborted) {
      return kept;
    }
    try {
      await keepForecastsOf(deps, tenantId);
      kept += 1;
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error;
      }
      deps.logger.warn({ err: error, tenantId }, "The forecasts of a tenant were not kept");
    }
  }
  return kept;
}
