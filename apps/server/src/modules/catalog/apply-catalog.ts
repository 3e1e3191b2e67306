import { isDeepStrictEqual } from "node:util";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { Catalog } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { hasRequestsMeter, withRequestsMeter } from "./built-in-meter.ts";
import {
  insertPlanVersion,
  listMeterRows,
  listPlanRows,
  lockCatalog,
  type PlanRow,
  setDefaultPlan,
} from "./catalog.store.ts";
import type { CatalogChange } from "./catalog-change.ts";
import { findCatalogFaults } from "./find-catalog-faults.ts";
import { publishMeters } from "./publish-meters.ts";
import { toTerms } from "./to-terms.ts";

function assertApplicable(input: CatalogChange, known: readonly MeterDefinition[]): void {
  const errors = findCatalogFaults(input, known);
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
}

/** The plan of new tenants where nothing says which: the first that stands on its own. */
function findFirst(input: CatalogChange): string | undefined {
  return input.plans.find((plan) => plan.isAddOn !== true)?.planId;
}

function assertOffered(plan: PlanRow | undefined): void {
  if (plan !== undefined && plan.archived_at !== null) {
    const message = `The plan ${plan.plan_id} is archived: restore it, or choose another default plan.`;
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/defaultPlanId", message }],
    });
  }
}

/** What applying a catalogue changed. */
export type AppliedCatalog = {
  published: { planId: string; version: number }[];
  publishedMeters: { meterId: string; version: number }[];
  /** Null when the default plan did not change. */
  newDefaultPlanId: string | null;
};

/**
 * Brings meters and plans to the given state. A plan or meter that differs from its newest version gets a new version; tenants
 * keep the version they have. Anything not named stays as it is, and the meter `requests` is added when it is missing. Applying
 * the same catalogue twice changes nothing.
 *
 * @returns The versions published now, and the default plan if it changed.
 * @throws {AppError} `INVALID_REQUEST` when a plan cannot be billed, a quota names a meter that does not exist, the aggregation
 *   of a meter would change, or the default plan is archived; `CONFLICT` when there would be too many meters, or versions of one.
 */
export async function applyCatalog(
  deps: AppServices,
  context: CallContext,
  input: CatalogChange,
): Promise<AppliedCatalog> {
  assertMay(context.actor, "catalog:write");
  const now = deps.clock.now();
  return await deps.transact.asOperator(async (tx) => {
    await lockCatalog(tx);
    const knownMeters = await listMeterRows(tx);
    assertApplicable(input, knownMeters);
    const current = new Map((await listPlanRows(tx)).map((row) => [row.plan_id, row]));
    const meters = await publishMeters(
      deps,
      tx,
      context,
      withRequestsMeter(input.meters, knownMeters),
    );
    const publishedMeters = meters
      .filter(({ meterId, version }) =>
        knownMeters.every((known) => known.meterId !== meterId || known.version !== version),
      )
      .map(({ meterId, version }) => ({ meterId, version }));
    const allMeters = await listMeterRows(tx);
    const published: { planId: string; version: number }[] = [];
    for (const plan of input.plans) {
      const terms = toTerms(plan, allMeters);
      const latest = current.get(plan.planId);
      if (latest === undefined || !isDeepStrictEqual(latest.terms, terms)) {
        const version = (latest?.version ?? 0) + 1;
        await insertPlanVersion(tx, { planId: plan.planId, version, terms, now });
        await writeAudit(deps, tx, context, {
          tenantId: null,
          action: "plan.published",
          entityType: "plan",
          entityId: plan.planId,
          details: { version },
        });
        published.push({ planId: plan.planId, version });
      }
    }
    const defaultPlanId =
      input.defaultPlanId ?? (current.size === 0 ? findFirst(input) : undefined);
    const isNewDefault =
      defaultPlanId !== undefined && current.get(defaultPlanId)?.is_default !== true;
    if (isNewDefault) {
      assertOffered(current.get(defaultPlanId));
      await setDefaultPlan(tx, defaultPlanId);
      const before = [...current.values()].find((plan) => plan.is_default)?.plan_id ?? null;
      await writeAudit(deps, tx, context, {
        tenantId: null,
        action: "plan.made_default",
        entityType: "plan",
        entityId: defaultPlanId,
        details: { defaultPlanId: [before, defaultPlanId] },
      });
    }
    return { published, publishedMeters, newDefaultPlanId: isNewDefault ? defaultPlanId : null };
  });
}

/**
 * Gives an empty database its first catalogue. Afterwards the database is the truth, and this only adds the meter `requests`
 * when it is missing.
 *
 * @throws {AppError} Like `applyCatalog`.
 */
export async function seedCatalog(
  deps: AppServices,
  context: CallContext,
  catalog: Catalog | CatalogChange,
): Promise<void> {
  const { isEmpty, hasRequests } = await deps.transact.asOperator(async (tx) => ({
    isEmpty: (await listPlanRows(tx)).length === 0,
    hasRequests: hasRequestsMeter(await listMeterRows(tx)),
  }));
  if (isEmpty) {
    await applyCatalog(deps, context, catalog);
  } else if (!hasRequests) {
    await applyCatalog(deps, context, { meters: [], plans: [] });
  }
}
