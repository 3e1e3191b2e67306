import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import { termsOfPhase } from "@turnpike/domain/catalog/terms-of-phase";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { getPublishableTerms } from "#modules/catalog/index.ts";
import {
  assignPlanWithin,
  findEntitlement,
  listPlanSubscribers,
} from "#modules/entitlements/index.ts";
import { defineJob, type JobAttempt } from "#platform/define-job.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { listAccounts } from "../accounts/accounts.store.ts";
import { type AccountStep, changeAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { toStep } from "../subscriptions/to-step.ts";
import {
  advanceMigration,
  endMigration,
  findMigration,
  type MigrationOutcome,
  type PlanMigrationRow,
} from "./plan-migrations.store.ts";

/** Subscribers that are moved in one turn. Then the job goes to the end of the queue, so that it does not hold up others. */
const TURN = 200;

export const migrateJob = defineJob({
  name: "billing.migrate",
  schema: z.object({ migrationId: z.string() }),
  // Of each turn: the next turn is a new job.
  retryLimit: 10,
  retryDelaySeconds: 5,
  retryDelaySecondsMax: 300,
  expireInSeconds: 60 * 60,
  heartbeatSeconds: 30,
});

const CONTEXT: CallContext = {
  actor: { type: "system", id: "billing" },
  requestId: "billing.migrate",
};

export type MigrateDeps = BillingDeps & { jobs: JobQueue };

/** The migration was cancelled, or another attempt goes on with it. */
class NotOursError extends Error {
  override readonly name = "NotOursError";
}

type Move = { migration: PlanMigrationRow; tenantId: TenantId; terms: PlanTerms };

async function count(tx: Tx, { migration, tenantId }: Move, outcome: MigrationOutcome) {
  if (!(await advanceMigration(tx, { ...migration, tenantId }, outcome))) {
    throw new NotOursError("The migration runs no more, or elsewhere.");
  }
}

/** True for a subscriber that has left the plan, has the version, or leaves before it would be moved. */
function staysAsItIs({ subscription, terms }: Account, { planId, when }: PlanMigrationRow) {
  if (subscription?.state !== "running" || subscription.run.plan.planId !== planId) {
    return true;
  }
  const target = terms.catalog.plans.get(planId);
  const { run, pendingChange, pendingEnd } = subscription;
  const leaves =
    pendingEnd !== undefined || (pendingChange !== undefined && pendingChange.plan !== target);
  return (
    run.plan === target || (when === "period_end" && (leaves || pendingChange?.plan === target))
  );
}

/** A change that the subscriber asked for outlives being moved. */
function keepPendingChange(before: Account, after: Account): Account {
  const pending =
    before.subscription?.state === "running" ? before.subscription.pendingChange : undefined;
  return pending === undefined ||
    pending.plan.planId === after.subscription?.run.plan.planId ||
    after.subscription?.state !== "running"
    ? after
    : { ...after, subscription: { ...after.subscription, pendingChange: pending } };
}

/** Moves a subscriber whose subscription runs, by the change of plan that customers have. */
async function moveSubscription(deps: MigrateDeps, move: Move): Promise<void> {
  const { migration, tenantId, terms } = move;
  const { planId, toVersion: version, when } = migration;
  const change = toStep(
    { do: "change", planId, when, proration: undefined },
    { plan: { planId, version, currency: terms.currency }, coupon: undefined },
  );
  let outcome: MigrationOutcome = { kind: "unchanged" };
  const step: AccountStep = (account, at) => {
    if (staysAsItIs(account, migration)) {
      return account;
    }
    outcome = { kind: "moved" };
    const after = change(account, at);
    return when === "now" ? keepPendingChange(account, after) : after;
  };
  await changeAccount(deps, CONTEXT, {
    key: { tenantId, environment: "live" },
    wanted: [{ planId, version }],
    step,
    events: [{ kind: "plan.migrated", details: { planId, version: String(version), when } }],
    noteReason: "The plan has a new version.",
    alsoWrites: (tx) => count(tx, move, outcome),
  });
}

/** Moves a tenant that is not billed: its limits change at once. */
async function moveEntitlement(deps: MigrateDeps, move: Move): Promise<void> {
  const { migration, tenantId, terms } = move;
  await deps.transact.asOperator(async (tx) => {
    const entitlement = await findEntitlement(tx, tenantId);
    const isOnPlan = entitlement?.planId === migration.planId;
    if (entitlement !== undefined && isOnPlan) {
      await assignPlanWithin(deps, tx, CONTEXT, {
        tenantId,
        plan: { planId: migration.planId, version: migration.toVersion },
        phaseTerms: terms.phases === undefined ? {} : termsOfPhase(terms, 0),
        periodAnchor: entitlement.periodAnchor,
        periodUnit: entitlement.periodUnit,
      });
    }
    await count(tx, move, { kind: isOnPlan ? "moved" : "unchanged" });
  });
}

async function moveOne(deps: MigrateDeps, move: Move): Promise<void> {
  const { tenantId } = move;
  const [account] = await deps.transact.asOperator((tx) =>
    listAccounts(tx, [{ tenantId, environment: "live" }]),
  );
  const runs = account !== undefined && ["trialing", "active"].includes(account.life);
  try {
    await (runs ? moveSubscription(deps, move) : moveEntitlement(deps, move));
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    const outcome = { kind: "failed" as const, reason: error.message };
    await deps.transact.asOperator((tx) => count(tx, move, outcome));
  }
}

/** Moves the next subscribers. @returns True when there are no more. */
async function moveTurn(
  deps: MigrateDeps,
  migration: PlanMigrationRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { planId, fromVersion, toVersion, afterTenant } = migration;
  const { terms, subscribers } = await deps.transact.asOperator(async (tx) => ({
    terms: await getPublishableTerms(tx, planId, toVersion),
    subscribers: await listPlanSubscribers(tx, {
      planId,
      version: fromVersion ?? undefined,
      notVersion: toVersion,
      after: afterTenant ?? undefined,
      limit: TURN,
    }),
  }));
  for (const { tenantId } of subscribers) {
    signal.throwIfAborted();
    await moveOne(deps, { migration, tenantId, terms });
  }
  return subscribers.length < TURN;
}

/**
 * Moves the next subscribers of a migration, from the first one that was not counted, and enqueues the job for the following ones. An
 * attempt after a crash continues where the last one ended; of two that overlap, each subscriber is moved by one.
 */
export async function moveSubscribers(
  deps: MigrateDeps,
  { migrationId }: z.infer<typeof migrateJob.schema>,
  { isLast, signal }: Pick<JobAttempt, "isLast" | "signal">,
): Promise<void> {
  const migration = await deps.transact.asOperator((tx) => findMigration(tx, migrationId));
  if (migration?.state !== "running") {
    return;
  }
  try {
    const isDone = await moveTurn(deps, migration, signal);
    await deps.transact.asOperator(async (tx) => {
      if (isDone) {
        await endMigration(tx, migrationId, { state: "done", now: deps.clock.now() });
      } else {
        await deps.jobs.enqueue(migrateJob, { migrationId }, { tx, singletonKey: migrationId });
      }
    });
  } catch (error) {
    if (error instanceof NotOursError) {
      return;
    }
    if (isLast && !signal.aborted) {
      deps.logger.error({ err: error, migrationId }, "A migration of subscribers failed");
      const now = deps.clock.now();
      await deps.transact.asOperator((tx) =>
        endMigration(tx, migrationId, { state: "failed", now }),
      );
      return;
    }
    throw error;
  }
}
