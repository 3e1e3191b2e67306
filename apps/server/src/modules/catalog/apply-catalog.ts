import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { Catalog } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { hasRequestsMeter, withRequestsMeter } from "./built-in-meter.ts";
import {
  listMeterRows,
  listPlanRows,
  lockCatalog,
  type PlanRow,
  setDefaultPlan,
} from "./catalog.store.ts";
import type { CatalogChange } from "./catalog-change.ts";
import { publishCoupons } from "./coupons/publish-coupons.ts";
import { findCatalogFaults } from "./find-catalog-faults.ts";
import { publishMeters } from "./publish-meters.ts";
import { findKindFault, publishPlan } from "./publish-plan.ts";
import { toTerms } from "./to-terms.ts";

/** @throws {AppError} `INVALID_REQUEST` with everything about meters and plans that cannot be applied. */
export function assertApplicable(
  input: CatalogChange,
  { meters, plans }: { meters: readonly MeterDefinition[]; plans: ReadonlyMap<string, PlanRow> },
): void {
  const kindFaults = input.plans.flatMap((plan, index) => {
    const fault = findKindFault(plan, plans.get(plan.planId));
    const pointer = `/plans/${String(index)}${fault?.pointer ?? ""}`;
    return fault === undefined ? [] : [{ pointer, message: fault.message }];
  });
  const errors = [...kindFaults, ...findCatalogFaults(input, meters)];
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
  /** Ids of those that were created or changed. */
  changedCoupons: string[];
  /** Null when the default plan did not change. */
  newDefaultPlanId: string | null;
};

/**
 * Brings meters, plans and coupons to the given state. A plan or meter that differs from its newest version gets a new version; tenants
 * keep the version they have. Anything not named stays as it is, and the meter `requests` is added when it is missing. Applying
 * the same catalogue twice changes nothing.
 *
 * @returns The versions published now, and the default plan if it changed.
 * @throws {AppError} `INVALID_REQUEST` when a plan cannot be billed, a quota names a meter that does not exist, the aggregation
 *   of a meter or what a coupon gives would change, or the default plan is archived; `CONFLICT` when there would be too many meters, or versions of one.
 */
export async function applyCatalog(
  deps: AppServices,
  context: CallContext,
  input: CatalogChange,
): Promise<AppliedCatalog> {
  assertMay(context.actor, "catalog:write");
  // One instant for all of them, so that their order does not depend on the clock.
  const now = deps.clock.now();
  return await deps.transact.asOperator(async (tx) => {
    await lockCatalog(tx);
    const knownMeters = await listMeterRows(tx);
    const current = new Map((await listPlanRows(tx)).map((row) => [row.plan_id, row]));
    assertApplicable(input, { meters: knownMeters, plans: current });
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
      const { planId } = plan;
      const version = await publishPlan(deps, tx, context, {
        planId,
        terms: toTerms(plan, allMeters),
        before: current.get(planId),
        now,
      });
      if (version !== undefined) {
        published.push({ planId, version });
      }
    }
    const changedCoupons = await publishCoupons(deps, tx, context, input.coupons ?? []);
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
    const newDefaultPlanId = isNewDefault ? defaultPlanId : null;
    return { published, publishedMeters, changedCoupons, newDefaultPlanId };
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
