import type { PlanMigration } from "@turnpike/contract/plan-migrations";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { findPlanVersionRow } from "#modules/catalog/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { migrateJob } from "./move-subscribers.ts";
import {
  endMigration,
  findMigration,
  insertMigration,
  listMigrations,
  type PlanMigrationRow,
} from "./plan-migrations.store.ts";

function toReply({ afterTenant: _, ...row }: PlanMigrationRow): PlanMigration {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

/**
 * Begins to move the subscribers of a plan to another version. A job does it, one after the other.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for a version that is not there; `CONFLICT` while another migration of the plan runs;
 *   `INSUFFICIENT_SCOPE`.
 */
export async function migrateSubscribers(
  deps: AppServices & { jobs: JobQueue },
  context: CallContext,
  input: {
    planId: string;
    fromVersion?: number | undefined;
    toVersion: number;
    when: "now" | "period_end";
  },
): Promise<PlanMigration> {
  assertMay(context.actor, "catalog:write");
  const { planId, toVersion, when } = input;
  const migrationId = deps.newId("migration");
  return await deps.transact.asOperator(async (tx) => {
    if ((await findPlanVersionRow(tx, { planId, version: toVersion })) === undefined) {
      throw resourceNotFound("version");
    }
    const row = await insertMigration(tx, {
      migrationId,
      planId,
      fromVersion: input.fromVersion ?? null,
      toVersion,
      when,
      createdAt: deps.clock.now(),
      createdBy: context.actor.id,
    });
    if (row === undefined) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: "Another migration of this plan runs: wait for it, or cancel it.",
      });
    }
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "plan.migration_started",
      entityType: "plan",
      entityId: planId,
      details: { migrationId, fromVersion: row.fromVersion, toVersion, when },
    });
    await deps.jobs.enqueue(migrateJob, { migrationId }, { tx, singletonKey: migrationId });
    return toReply(row);
  });
}

/** Newest first. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function listPlanMigrations(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { planId }: { planId: string },
): Promise<{ items: PlanMigration[] }> {
  assertMay(context.actor, "catalog:read");
  const rows = await deps.transact.asOperator((tx) => listMigrations(tx, planId));
  return { items: rows.map(toReply) };
}

/**
 * Stops a migration; subscribers that were moved stay so. One that has ended stays as it is.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function cancelMigration(
  deps: AppServices,
  context: CallContext,
  { migrationId }: { migrationId: string },
): Promise<PlanMigration> {
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    const before = await findMigration(tx, migrationId);
    if (before === undefined) {
      throw resourceNotFound("migration");
    }
    const hasEnded = await endMigration(tx, migrationId, {
      state: "cancelled",
      now: deps.clock.now(),
    });
    if (hasEnded) {
      await writeAudit(deps, tx, context, {
        tenantId: null,
        action: "plan.migration_cancelled",
        entityType: "plan",
        entityId: before.planId,
        details: { migrationId },
      });
    }
    return toReply((await findMigration(tx, migrationId)) ?? before);
  });
}
