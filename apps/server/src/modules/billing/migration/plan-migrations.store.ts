import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type MigrationState = "running" | "done" | "cancelled" | "failed";

export type PlanMigrationRow = {
  migrationId: string;
  planId: string;
  fromVersion: number | null;
  toVersion: number;
  when: "now" | "period_end";
  state: MigrationState;
  afterTenant: TenantId | null;
  moved: number;
  unchanged: number;
  failed: number;
  failures: { tenantId: string; reason: string }[];
  createdAt: Date;
  createdBy: string;
  finishedAt: Date | null;
};

/** Failures that are kept: more say nothing new. */
const FAILURES_MAX = 100;

function columns(tx: Tx) {
  return tx`migration_id as "migrationId", plan_id as "planId", from_version as "fromVersion", to_version as "toVersion",
    moves_at as "when", state, after_tenant as "afterTenant", moved, unchanged, failed, failures, created_at as "createdAt",
    created_by as "createdBy", finished_at as "finishedAt"`;
}

/** Begins a migration. @returns `undefined` when one of the plan runs already. */
export async function insertMigration(
  tx: Tx,
  row: Pick<
    PlanMigrationRow,
    "migrationId" | "planId" | "fromVersion" | "toVersion" | "when" | "createdAt" | "createdBy"
  >,
): Promise<PlanMigrationRow | undefined> {
  const [inserted] = await tx<PlanMigrationRow[]>`
    insert into plan_migrations (migration_id, plan_id, from_version, to_version, moves_at, state, created_at, created_by)
    values (${row.migrationId}, ${row.planId}, ${row.fromVersion}, ${row.toVersion}, ${row.when}, 'running',
      ${row.createdAt}, ${row.createdBy})
    on conflict (plan_id) where state = 'running' do nothing
    returning ${columns(tx)}`;
  return inserted;
}

export async function findMigration(
  tx: Tx,
  migrationId: string,
): Promise<PlanMigrationRow | undefined> {
  const [row] = await tx<PlanMigrationRow[]>`
    select ${columns(tx)} from plan_migrations where migration_id = ${migrationId}`;
  return row;
}

/** The newest hundred of a plan, newest first. */
export async function listMigrations(tx: Tx, planId: string): Promise<PlanMigrationRow[]> {
  return await tx<PlanMigrationRow[]>`
    select ${columns(tx)} from plan_migrations where plan_id = ${planId}
    order by migration_id desc
    limit 100`;
}

export type MigrationOutcome = { kind: "moved" | "unchanged" } | { kind: "failed"; reason: string };

/**
 * Counts one subscriber, as part of the transaction that moves it. Each counts once, in the order of their ids.
 *
 * @returns False when the migration runs no more, or another attempt was here already: then nothing must be moved.
 */
export async function advanceMigration(
  tx: Tx,
  { migrationId, tenantId }: { migrationId: string; tenantId: TenantId },
  outcome: MigrationOutcome,
): Promise<boolean> {
  const counted = (kind: MigrationOutcome["kind"]) => (outcome.kind === kind ? 1 : 0);
  const failure = tx.json(outcome.kind === "failed" ? [{ tenantId, reason: outcome.reason }] : []);
  const rows = await tx`
    update plan_migrations
    set after_tenant = ${tenantId}, moved = moved + ${counted("moved")}, unchanged = unchanged + ${counted("unchanged")},
      failed = failed + ${counted("failed")},
      failures = case when jsonb_array_length(failures) < ${FAILURES_MAX} then failures || ${failure}::jsonb else failures end
    where migration_id = ${migrationId} and state = 'running' and (after_tenant is null or after_tenant < ${tenantId})
    returning 1`;
  return rows.length > 0;
}

/** Ends a migration that runs. @returns False when it has ended already. */
export async function endMigration(
  tx: Tx,
  migrationId: string,
  { state, now }: { state: Exclude<MigrationState, "running">; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update plan_migrations set state = ${state}, finished_at = ${now}
    where migration_id = ${migrationId} and state = 'running'
    returning 1`;
  return rows.length > 0;
}
