import type { Tx } from "@turnpike/db/client";
import type { Aggregation, MeterDefinition, MeterDimension } from "@turnpike/domain/catalog/meter";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";

export type PlanRow = {
  plan_id: string;
  version: number;
  is_default: boolean;
  /** Null while the plan is offered. */
  archived_at: Date | null;
  terms: PlanTerms;
};

/** Every plan with its newest version, in the order of creation. */
export async function listPlanRows(tx: Tx): Promise<PlanRow[]> {
  return await tx<PlanRow[]>`
    select p.plan_id, v.version, p.is_default, p.archived_at, v.terms
    from plans p join plan_versions v on v.plan_id = p.plan_id and v.version = p.latest_version
    order by p.created_at, p.plan_id
    limit 1000`;
}

/** A plan with its newest version. */
export async function findPlanRow(tx: Tx, planId: string): Promise<PlanRow | undefined> {
  const [row] = await tx<PlanRow[]>`
    select p.plan_id, v.version, p.is_default, p.archived_at, v.terms
    from plans p join plan_versions v on v.plan_id = p.plan_id and v.version = p.latest_version
    where p.plan_id = ${planId}`;
  return row;
}

export async function countPlans(tx: Tx): Promise<number> {
  const [row] = await tx<{ count: number }[]>`select count(*)::int as count from plans`;
  return row?.count ?? 0;
}

/** A published version of a plan. */
export type PlanVersionRow = {
  planId: string;
  version: number;
  terms: PlanTerms;
  publishedAt: Date;
};

/** Versions of a plan, newest first. @param input.before - Only those below this number. */
export async function listPlanVersionRows(
  tx: Tx,
  { planId, before, limit }: { planId: string; before: number | undefined; limit: number },
): Promise<PlanVersionRow[]> {
  return await tx<PlanVersionRow[]>`
    select plan_id as "planId", version, terms, published_at as "publishedAt"
    from plan_versions
    where plan_id = ${planId} ${before === undefined ? tx`` : tx`and version < ${before}`}
    order by version desc
    limit ${limit}`;
}

export async function findPlanVersionRow(
  tx: Tx,
  { planId, version }: { planId: string; version: number },
): Promise<PlanVersionRow | undefined> {
  const [row] = await tx<PlanVersionRow[]>`
    select plan_id as "planId", version, terms, published_at as "publishedAt"
    from plan_versions where plan_id = ${planId} and version = ${version}`;
  return row;
}

/** Sets since when a plan is offered to no one; null offers it. */
export async function setArchived(tx: Tx, planId: string, archivedAt: Date | null): Promise<void> {
  await tx`update plans set archived_at = ${archivedAt} where plan_id = ${planId}`;
  await tx`select record_change('plan', null, ${planId})`;
}

/** The newest version of a plan, and whether it may be given to a tenant. */
export type NewestVersion = {
  planId: string;
  version: number;
  isAddOn: boolean;
  isArchived: boolean;
};

export async function findPlanVersion(
  tx: Tx,
  planId: string | undefined,
): Promise<NewestVersion | undefined> {
  const [row] = await tx<NewestVersion[]>`
    select p.plan_id as "planId", v.version, coalesce((v.terms ->> 'isAddOn')::boolean, false) as "isAddOn",
      p.archived_at is not null as "isArchived"
    from plans p join plan_versions v on v.plan_id = p.plan_id and v.version = p.latest_version
    where ${planId === undefined ? tx`p.is_default` : tx`p.plan_id = ${planId}`}`;
  return row;
}

/** A version of a plan with its place in the catalogue, counted from 0. */
export type VersionTerms = { planId: string; version: number; place: number; terms: PlanTerms };

/** Terms of versions of plans, in no order; those that do not exist are left out. */
export async function listVersionTerms(
  tx: Tx,
  versions: readonly { planId: string; version: number }[],
): Promise<VersionTerms[]> {
  return await tx<VersionTerms[]>`
    select v.plan_id as "planId", v.version, p.place::int as place, v.terms
    from unnest(${versions.map(({ planId }) => planId)}::text[], ${versions.map(({ version }) => version)}::int[])
        as asked (plan_id, version)
      join plan_versions v using (plan_id, version)
      join (select plan_id, row_number() over (order by created_at, plan_id) - 1 as place from plans) p using (plan_id)`;
}

/** The newest names of plans, archived and private ones included; ids of no plan are left out. */
export async function listPlanNames(
  tx: Tx,
  planIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx<{ planId: string; name: string }[]>`
    select p.plan_id as "planId", v.terms ->> 'name' as name
    from plans p join plan_versions v on v.plan_id = p.plan_id and v.version = p.latest_version
    where p.plan_id = any(${[...planIds]}::text[])`;
  return new Map(rows.map(({ planId, name }) => [planId, name]));
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
  const valueMax = meter.valueMax ?? null;
  const dimensions = (meter.dimensions ?? []).map((dimension) => ({ ...dimension }));
  await tx`
    insert into meters (meter_id, version, name, unit, aggregation, event_type, value_pointer, dimensions,
      value_max, created_at)
    values (${meterId}, ${version}, ${name}, ${unit}, ${aggregation}, ${eventType}, ${valuePointer},
      ${tx.json(dimensions)}, ${valueMax}, ${now})
    on conflict (meter_id) do update set version = excluded.version, name = excluded.name, unit = excluded.unit,
      event_type = excluded.event_type, value_pointer = excluded.value_pointer, dimensions = excluded.dimensions,
      value_max = excluded.value_max`;
  await tx`
    insert into meter_versions (meter_id, version, name, unit, event_type, value_pointer, dimensions, value_max, published_at)
    values (${meterId}, ${version}, ${name}, ${unit}, ${eventType}, ${valuePointer}, ${tx.json(dimensions)},
      ${valueMax}, ${now})`;
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
  value_max: string | null;
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
    ...(row.value_max === null ? {} : { valueMax: row.value_max }),
  };
}

/** Every meter, at most `METERS_MAX` of them. A shorter list would look like a change to callers that measure by it. */
export async function listMeterRows(tx: Tx): Promise<MeterRow[]> {
  const rows = await tx<StoredMeter[]>`
    select meter_id, version, name, unit, aggregation, event_type, value_pointer, dimensions, value_max
    from meters order by meter_id`;
  return rows.map(toMeterRow);
}

/** Every version of a meter, newest first; at most `METER_VERSIONS_MAX`. */
export async function listMeterVersionRows(
  tx: Tx,
  meterId: string,
): Promise<(MeterRow & { publishedAt: Date })[]> {
  const rows = await tx<(StoredMeter & { published_at: Date })[]>`
    select v.meter_id, v.version, v.name, v.unit, m.aggregation, v.event_type, v.value_pointer, v.dimensions,
      v.value_max, v.published_at
    from meter_versions v join meters m on m.meter_id = v.meter_id
    where v.meter_id = ${meterId}
    order by v.version desc`;
  return rows.map((row) => ({ ...toMeterRow(row), publishedAt: row.published_at }));
}

/** True when a version of a plan limits or prices the meter. */
export async function isInPlans(tx: Tx, meterId: string): Promise<boolean> {
  const ofMeter = [{ meter: meterId }];
  const rows = await tx`
    select 1 from plan_versions
    where terms -> 'quotas' @> ${tx.json(ofMeter)} or terms -> 'phases' @> ${tx.json([{ rateCards: ofMeter }])}
    limit 1`;
  return rows.length > 0;
}

/** Removes a meter with its versions. */
export async function deleteMeterRow(tx: Tx, meterId: string): Promise<void> {
  await tx`delete from meter_versions where meter_id = ${meterId}`;
  await tx`delete from meters where meter_id = ${meterId}`;
  await tx`select record_change('plan', null, ${meterId})`;
}
