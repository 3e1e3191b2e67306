import type { Tx } from "@turnpike/db/client";
import type { BillingPlan, RateCard } from "@turnpike/domain/billing/catalog/billing-plan";
import { toBillingPlan } from "@turnpike/domain/billing/catalog/to-billing-plan";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { TermsOverrides } from "@turnpike/domain/entitlements/entitlement";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { SCALE } from "@turnpike/domain/money/decimal";
import { listMeterRows, listVersionTerms } from "#modules/catalog/index.ts";
import { listOverrides } from "#modules/entitlements/index.ts";
import { createPlanBook, type PlanBook, type PlanReference } from "./plan-book.ts";

/** Plans as one tenant has them, with what people read of them. */
export type PlanLibrary = {
  book: PlanBook;
  /** Terms of a version, as published. @throws {Error} For one that was not loaded. */
  termsOf(reference: PlanReference): PlanTerms;
  /** What one unit of a meter is called, singular; the meter's id when it is gone. */
  unitOf(meterId: string): string;
  meterNameOf(meterId: string): string;
};

/** A tenant's own quota takes the place of the plan's: usage beyond the plan's was let through by it. */
function overrideCard(card: RateCard, overrides: TermsOverrides): RateCard {
  const { entitlement, meterId } = card;
  const isQuota = entitlement?.kind === "hard" || entitlement?.kind === "soft";
  if (overrides.quotas === undefined || meterId === undefined || !isQuota) {
    return card;
  }
  const own = overrides.quotas.find(({ meter }) => meter === meterId);
  return own === undefined
    ? { ...card, entitlement: undefined }
    : {
        ...card,
        entitlement: { ...entitlement, kind: own.kind, limit: BigInt(own.limit) * SCALE },
      };
}

function overridePlan(plan: BillingPlan, overrides: TermsOverrides): BillingPlan {
  return overrides.quotas === undefined
    ? plan
    : {
        ...plan,
        phases: plan.phases.map((phase) => ({
          ...phase,
          cards: phase.cards.map((card) => overrideCard(card, overrides)),
        })),
      };
}

const keyOf = ({ planId, version }: PlanReference) => `${planId} ${String(version)}`;

/** Loads the plans that tenants refer to; one library for each request, at the same place. */
export async function loadPlans(
  tx: Tx,
  requests: readonly { tenantId: TenantId; references: readonly PlanReference[] }[],
): Promise<PlanLibrary[]> {
  const wanted = new Map(
    requests.flatMap(({ references }) => references.map((each) => [keyOf(each), each])),
  );
  const versions = await listVersionTerms(tx, [...wanted.values()]);
  const meters = await listMeterRows(tx);
  const overrides = await listOverrides(
    tx,
    requests.map(({ tenantId }) => tenantId),
  );
  const plans = new Map(
    versions.map(({ planId, version, place, terms }) => [
      keyOf({ planId, version }),
      { planId, version, terms, plan: toBillingPlan({ planId, place, terms, meters }) },
    ]),
  );
  const meterOf = new Map(meters.map((meter) => [meter.meterId, meter]));
  return requests.map(({ tenantId, references }) => {
    const own = overrides.get(tenantId) ?? {};
    const versionsOf = new Map(
      references.flatMap((reference) => {
        const found = plans.get(keyOf(reference));
        return found === undefined ? [] : [[keyOf(reference), found]];
      }),
    );
    return {
      book: createPlanBook(
        [...versionsOf.values()].map((each) => ({ ...each, plan: overridePlan(each.plan, own) })),
      ),
      termsOf(reference) {
        const found = plans.get(keyOf(reference));
        if (found === undefined) {
          throw new Error(
            `Version ${String(reference.version)} of ${reference.planId} is not loaded.`,
          );
        }
        return found.terms;
      },
      unitOf: (meterId) => meterOf.get(meterId)?.unit ?? meterId,
      meterNameOf: (meterId) => meterOf.get(meterId)?.name ?? meterId,
    };
  });
}
