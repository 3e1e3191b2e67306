import type { Tx } from "@turnpike/db/client";
import type { MeterDefinition, PlanTerms } from "@turnpike/domain/catalog/plan";

export type PlanRow = {
  plan_id: string;
  version: number;
  is_default: boolean;
  terms: PlanTerms;
};

/** Every plan with its newest version, in the order of their making. */
export async function listPlanRows(tx: Tx): Promise<PlanRow[]> {
  return await tx<PlanRow[]>`
    select p.plan_id, v.version, p.is_default, v.terms
    from plans p join plan_versions v on v.plan_id = p.plan_id and v.version = p.latest_version
    order by p.created_at, p.plan_id
    limit 1000`;
}

export async function findPlanVersion(
  tx: Tx,
  planId: string | undefined,
): Promise<{ planId: string; version: number } | undefined> {
  const [row] = await tx<{ plan_id: string; latest_version: number }[]>`
    select plan_id, latest_version from plans
    where ${planId === undefined ? tx`is_default` : tx`plan_id = ${planId}`}`;
  return row === undefined ? undefined : { planId: row.plan_id, version: row.latest_version };
}

/** Serialises changes of the catalogue until the end of the transaction. */
export async function lockCatalog(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(7163023)`;
}

export async function insertPlanVersion(
  tx: Tx,
  row: { planId: string; version: number; terms: PlanTerms; now: Date },
): Promise<void> {
  await tx`
    insert into plans (plan_id, latest_version, created_at)
    values (${row.planId}, ${row.version}, ${row.now})
    on conflict (plan_id) do update set latest_version = excluded.latest_version`;
  await tx`
    insert into plan_versions (plan_id, version, terms, published_at)
    values (${row.planId}, ${row.version}, ${tx.json(row.terms)}, ${row.now})`;
  await tx`select record_change('plan', null, ${row.planId})`;
}

export async function setDefaultPlan(tx: Tx, planId: string): Promise<void> {
  await tx`update plans set is_default = false where is_default and plan_id <> ${planId}`;
  await tx`update plans set is_default = true where plan_id = ${planId}`;
}

export async function upsertMeter(tx: Tx, meter: MeterDefinition, now: Date): Promise<void> {
  await tx`
    insert into meters (meter_id, name, unit, aggregation, created_at)
    values (${meter.meterId}, ${meter.name}, ${meter.unit}, ${meter.aggregation}, ${now})
    on conflict (meter_id) do update set name = excluded.name, unit = excluded.unit`;
  await tx`select record_change('plan', null, ${meter.meterId})`;
}

export async function listMeterRows(tx: Tx): Promise<MeterDefinition[]> {
  return await tx<MeterDefinition[]>`
    select meter_id as "meterId", name, unit, aggregation from meters order by meter_id limit 1000`;
}
