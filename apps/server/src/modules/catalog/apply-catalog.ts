import { isDeepStrictEqual } from "node:util";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Catalog, MeterDefinition, PlanTerms } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  insertPlanVersion,
  listMeterRows,
  listPlanRows,
  lockCatalog,
  setDefaultPlan,
  upsertMeter,
} from "./catalog.store.ts";

export type CatalogChange = {
  meters: readonly MeterDefinition[];
  plans: readonly (PlanTerms & { planId: string })[];
  defaultPlanId?: string | undefined;
};

function toTerms(plan: PlanTerms & { planId: string }): PlanTerms {
  const { planId: _, scopes, ...terms } = plan;
  // No scopes and an empty list of them are the same promise, and must not make a new version.
  return scopes === undefined || scopes.length === 0 ? terms : { ...terms, scopes };
}

function assertMetersExist(input: CatalogChange, known: readonly MeterDefinition[]): void {
  const ids = new Set([...known, ...input.meters].map((meter) => meter.meterId));
  const errors = input.plans.flatMap((plan, planIndex) =>
    plan.quotas.flatMap((quota, quotaIndex) =>
      ids.has(quota.meter)
        ? []
        : [
            {
              pointer: `/plans/${String(planIndex)}/quotas/${String(quotaIndex)}/meter`,
              message: `There is no meter ${quota.meter}.`,
            },
          ],
    ),
  );
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
}

/** The ledger was counted by the aggregation that a meter began with. */
function assertAggregationsKept(input: CatalogChange, known: readonly MeterDefinition[]): void {
  const before = new Map(known.map((meter) => [meter.meterId, meter.aggregation]));
  const errors = input.meters.flatMap((meter, index) => {
    const kept = before.get(meter.meterId) ?? meter.aggregation;
    return kept === meter.aggregation
      ? []
      : [
          {
            pointer: `/meters/${String(index)}/aggregation`,
            message: `The meter ${meter.meterId} counts by ${kept}; a new way of counting needs a new meter.`,
          },
        ];
  });
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
}

/**
 * Brings meters and plans to the given state. A plan whose terms differ from its newest version gets a new version;
 * tenants keep the version they have. Plans that are not named stay as they are. Applying the same twice changes nothing.
 *
 * @returns The versions published now.
 * @throws {AppError} `INVALID_REQUEST` when a quota names a meter that does not exist, or the aggregation of a meter
 *   would change.
 */
export async function applyCatalog(
  deps: AppServices,
  context: CallContext,
  input: CatalogChange,
): Promise<{ published: { planId: string; version: number }[] }> {
  assertMay(context.actor, "catalog:write");
  const now = deps.clock.now();
  return await deps.transact.asOperator(async (tx) => {
    await lockCatalog(tx);
    const meters = await listMeterRows(tx);
    assertMetersExist(input, meters);
    assertAggregationsKept(input, meters);
    const current = new Map((await listPlanRows(tx)).map((row) => [row.plan_id, row]));
    for (const meter of input.meters) {
      await upsertMeter(tx, meter, now);
    }
    const published: { planId: string; version: number }[] = [];
    for (const plan of input.plans) {
      const terms = toTerms(plan);
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
      input.defaultPlanId ?? (current.size === 0 ? input.plans[0]?.planId : undefined);
    if (defaultPlanId !== undefined) {
      await setDefaultPlan(tx, defaultPlanId);
    }
    return { published };
  });
}

/** Gives an empty database its first catalogue; afterwards the database is the truth and this does nothing. */
export async function seedCatalog(
  deps: AppServices,
  context: CallContext,
  catalog: Catalog | CatalogChange,
): Promise<void> {
  const isEmpty = await deps.transact.asOperator(
    async (tx) => (await listPlanRows(tx)).length === 0,
  );
  if (isEmpty) {
    await applyCatalog(deps, context, catalog);
  }
}
