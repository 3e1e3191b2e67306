import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** `meter:` and a meter, or `invoice`. */
export type KeptMeasure = `meter:${string}` | "invoice";

/** Numbers as decimal texts: units of a meter, or minor units of the currency. */
export type KeptForecast = {
  measure: KeptMeasure;
  /** A day by UTC, such as 2026-01-15. */
  madeOn: string;
  periodFrom: Date;
  periodTo: Date;
  currency: string | null;
  mean: string;
  lower80: string;
  upper80: string;
  /** Null until it is known. */
  actual: string | null;
};

function columns(tx: Tx) {
  return tx`measure, to_char(made_on, 'YYYY-MM-DD') as "madeOn", period_from as "periodFrom", period_to as "periodTo", currency,
    mean::text, lower80::text, upper80::text, actual::text`;
}

export async function hasKept(tx: Tx, tenantId: TenantId, madeOn: string): Promise<boolean> {
  const rows = await tx`
    select from kept_forecasts where tenant_id = ${tenantId} and made_on = ${madeOn} limit 1`;
  return rows.length > 0;
}

/** Of one day the first stays. */
export async function insertKept(
  tx: Tx,
  tenantId: TenantId,
  kept: readonly KeptForecast[],
): Promise<void> {
  for (const row of kept) {
    const { measure, madeOn, periodFrom, periodTo, currency, mean, lower80, upper80 } = row;
    await tx`
      insert into kept_forecasts (tenant_id, measure, made_on, period_from, period_to, currency, mean, lower80, upper80)
      values (${tenantId}, ${measure}, ${madeOn}, ${periodFrom}, ${periodTo}, ${currency}, ${mean}, ${lower80}, ${upper80})
      on conflict do nothing`;
  }
}

export type OpenPeriod = Pick<KeptForecast, "measure" | "periodFrom" | "periodTo">;

/** Periods that ended in a range of time and are not compared yet, in the order in which they ended. */
export async function listOpenPeriods(
  tx: Tx,
  tenantId: TenantId,
  { endedAfter, endedBefore }: { endedAfter: Date; endedBefore: Date },
): Promise<OpenPeriod[]> {
  return await tx<OpenPeriod[]>`
    select distinct measure, period_from as "periodFrom", period_to as "periodTo" from kept_forecasts
    where tenant_id = ${tenantId} and actual is null and period_to <= ${endedBefore} and period_to > ${endedAfter}
    order by period_to, measure`;
}

/** Stores what came of a period, for all days on which it was forecast. */
export async function settleKept(
  tx: Tx,
  tenantId: TenantId,
  { measure, periodFrom, periodTo, actual }: OpenPeriod & { actual: string },
): Promise<void> {
  await tx`
    update kept_forecasts set actual = ${actual}
    where tenant_id = ${tenantId} and measure = ${measure} and period_from = ${periodFrom} and period_to = ${periodTo}`;
}

/** Those of periods whose actual figure is known, newest period first, then by the day on which they were made. */
export async function listCompared(
  tx: Tx,
  tenantId: TenantId,
  { endedAfter }: { endedAfter: Date },
): Promise<(KeptForecast & { actual: string })[]> {
  return await tx<(KeptForecast & { actual: string })[]>`
    select ${columns(tx)} from kept_forecasts
    where tenant_id = ${tenantId} and actual is not null and period_to > ${endedAfter}
    order by period_to desc, made_on`;
}

export async function deleteKeptBefore(tx: Tx, tenantId: TenantId, before: Date): Promise<void> {
  await tx`delete from kept_forecasts where tenant_id = ${tenantId} and period_to < ${before}`;
}

/** The forecasts of a deleted tenant. */
export const forecastsOfTenant = {
  /** Needs the operator role. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const rows = await tx`
      delete from kept_forecasts where ctid = any(array(
        select ctid from kept_forecasts where tenant_id = ${input.tenantId} limit ${input.limit}))
      returning 1`;
    return rows.length;
  },
};
