import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import { AppError, type FieldError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { countPlans, insertPlanVersion, type PlanRow } from "./catalog.store.ts";
import { isSameTerms } from "./to-terms.ts";

/** The maximum of plans in an installation. All are listed at once. */
const PLANS_MAX = 1_000;

/** Why a plan cannot become an add-on, or an add-on a plan: tenants and subscriptions have it as what it is. */
export function findKindFault(
  terms: Pick<PlanTerms, "isAddOn">,
  before: PlanRow | undefined,
): FieldError | undefined {
  const isAddOn = terms.isAddOn === true;
  if (before === undefined || (before.terms.isAddOn === true) === isAddOn) {
    return;
  }
  const kinds = isAddOn ? ["a plan", "an add-on"] : ["an add-on", "a plan"];
  const message = `Give ${kinds[1] ?? ""} another id: ${before.plan_id} was published as ${kinds[0] ?? ""}.`;
  return { pointer: "/isAddOn", message };
}

/**
 * Publishes a version of a plan, under the lock of the catalogue, unless its terms are those of the newest version.
 *
 * @param input.terms - Checked and complete, see `toTerms`.
 * @param input.before - The plan with its newest version.
 * @returns The number of the new version; undefined when nothing was published.
 * @throws {AppError} `CONFLICT` when there would be too many plans.
 */
export async function publishPlan(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  {
    planId,
    terms,
    before,
    now,
  }: { planId: string; terms: PlanTerms; before: PlanRow | undefined; now: Date },
): Promise<number | undefined> {
  if (before !== undefined && isSameTerms(before.terms, terms)) {
    return;
  }
  if (before === undefined && (await countPlans(tx)) >= PLANS_MAX) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `There can be at most ${PLANS_MAX.toLocaleString("en")} plans: publish a version of one that is not needed any more.`,
    });
  }
  const version = (before?.version ?? 0) + 1;
  await insertPlanVersion(tx, { planId, version, terms, now });
  await writeAudit(deps, tx, context, {
    tenantId: null,
    action: "plan.published",
    entityType: "plan",
    entityId: planId,
    details: { version },
  });
  return version;
}
