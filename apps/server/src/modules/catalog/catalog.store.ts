import type { Tx } from "@turnpike/db/client";
import type { Aggregation, MeterDefinition, MeterDimension } from "@turnpike/domain/catalog/meter";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";

export type PlanRow = {
  plan_id: string;
  version: number;
  is_default: boolean;
  terms: PlanTerms;
};

/** Every plan with its newest version, in the order of creation. */
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

/** Serializes changes of the catalogue until the end of the transaction. No other lock uses the number. */
export async function lockCatalog(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(7163026)`;
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

/** A meter with its newest version. */
export type MeterRow = MeterDefinition & { version: number };

/** Stores a version of a meter, which becomes its newest. */
export async function insertMeterVersion(tx: Tx, meter: MeterRow, now: Date): Promise<void> {
  const { meterId, version, name, unit, aggregation } = meter;
  const eventType = meter.eventType ?? null;
  const valuePointer = meter.valuePointer ?? null;
  const dimensions = (meter.dimensions ?? []).map((dimension) => ({ ...dimension }));
  await tx`
    insert into meters (meter_id, version, name, unit, aggregation, event_type, value_pointer, dimensions, created_at)
    values (${meterId}, ${version}, ${name}, ${unit}, ${aggregation}, ${eventType}, ${valuePointer},
      ${tx.json(dimensions)}, ${now})
    on conflict (meter_id) do update set version = excluded.version, name = excluded.name, unit = excluded.unit,
      event_type = excluded.event_type, value_pointer = excluded.value_pointer, dimensions = excluded.dimensions`;
  await tx`
    insert into meter_versions (meter_id, version, name, unit, event_type, value_pointer, dimensions, published_at)
    values (${meterId}, ${version}, ${name}, ${unit}, ${eventType}, ${valuePointer}, ${tx.json(dimensions)}, ${now})`;
  await tx`select record_change('plan', null, ${meterId})`;
}

type StoredMeter = {
  meter_id: string;
  version: number;
  name: string;
  unit: string;
  aggregation: Aggregation;
  event_type: string | null;
  value_pointer: string | null;
  dimensions: MeterDimension[];
};

function toMeterRow(row: StoredMeter): MeterRow {
  return {
    meterId: row.meter_id,
    version: row.version,
    name: row.name,
    unit: row.unit,
    aggregation: row.aggregation,
    ...(row.event_type === null ? {} : { eventType: row.event_type }),
    ...(row.value_pointer === null ? {} : { valuePointer: row.value_pointer }),
    ...(row.dimensions.length === 0 ? {} : { dimensions: row.dimensions }),
  };
}

/** Every meter, at most `METERS_MAX` of them. A shorter list would look like a change to callers that measure by it. */
export async function listMeterRows(tx: Tx): Promise<MeterRow[]> {
  const rows = await tx<StoredMeter[]>`
    select meter_id, version, name, unit, aggregation, event_type, value_pointer, dimensions
    from meters order by meter_id`;
  return rows.map(toMeterRow);
}

/** Every version of a meter, newest first; at most `METER_VERSIONS_MAX`. */
export async function listMeterVersionRows(
  tx: Tx,
  meterId: string,
): Promise<(MeterRow & { publishedAt: Date })[]> {
  const rows = await tx<(StoredMeter & { published_at: Date })[]>`
    select v.meter_id, v.version, v.name, v.unit, m.aggregation, v.event_type, v.value_pointer, v.dimensions, v.published_at
    from meter_versions v join meters m on m.meter_id = v.meter_id
    where v.meter_id = ${meterId}
    order by v.version desc`;
  return rows.map((row) => ({ ...toMeterRow(row), publishedAt: row.published_at }));
}

/** True when a version of a plan has a quota of the meter. */
export async function isInPlans(tx: Tx, meterId: string): Promise<boolean> {
  const rows = await tx`
    select 1 from plan_versions
    where terms -> 'quotas' @> ${tx.json([{ meter: meterId }])}
    limit 1`;
  return rows.length > 0;
}

/** Removes a meter with its versions. */
export async function deleteMeterRow(tx: Tx, meterId: string): Promise<void> {
  await tx`delete from meter_versions where meter_id = ${meterId}`;
  await tx`delete from meters where meter_id = ${meterId}`;
  await tx`select record_change('plan', null, ${meterId})`;
}
