import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { listVersionTerms } from "#modules/catalog/index.ts";
import { findEntitlement, getPlanVersion, tenantPlans } from "#modules/entitlements/index.ts";
import { cutOffUsage } from "#modules/metering/index.ts";
import type { TenantPlans } from "#modules/tenants/index.ts";
import { listAccounts } from "./accounts/accounts.store.ts";
import { changeAccountWithin, readAccount } from "./accounts/change-account.ts";
import { findPriced, type PricedPlan } from "./accounts/find-priced.ts";
import { releaseOnFreePlan } from "./accounts/sync-entitlement.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { toStep } from "./subscriptions/to-step.ts";

/** Puts a tenant on a plan and bills the change. Needs the operator role. */
async function bill(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  { tenantId, plan }: { tenantId: TenantId; plan: PricedPlan },
): Promise<void> {
  const action = { do: "change", planId: plan.planId, when: "now" } as const;
  await changeAccountWithin(deps, tx, context, {
    recordedTo: await cutOffUsage(tx),
    change: {
      key: { tenantId, environment: "live" },
      wanted: [plan],
      step: toStep(action, { plan, coupon: undefined }),
      events: [{ kind: "asked.change", details: { planId: plan.planId, when: "now" } }],
      noteReason: "The plan was changed.",
    },
  });
}

/**
 * The plans of tenants, for the module that creates and changes tenants: a plan with a price is a subscription, which is billed from
 * the moment that a tenant is put on it.
 */
export function createBilledPlans(deps: BillingDeps): TenantPlans {
  return {
    ...tenantPlans,
    async start(tx, input) {
      const started = await tenantPlans.start(tx, input);
      const { planId, planVersion } = started;
      const plan = await findPriced(tx, { planId, version: planVersion });
      if (plan === undefined) {
        return started;
      }
      await bill(deps, tx, STARTING, { tenantId: input.tenantId, plan });
      return (await tenantPlans.list(tx, [input.tenantId])).get(input.tenantId) ?? started;
    },
    async change(services, tx, context, input) {
      const { tenantId, planId } = input;
      assertMay(context.actor, "tenants:write");
      const current = await findEntitlement(tx, tenantId);
      const newest = await getPlanVersion(tx, planId, current?.planId);
      const [account] = await listAccounts(tx, [{ tenantId, environment: "live" }]);
      const isBilled =
        account !== undefined && account.life !== "ended" && account.life !== "scheduled";
      if (isBilled && account.planId === planId && account.planVersion === newest.version) {
        return;
      }
      const [terms] = isBilled ? await listVersionTerms(tx, [newest]) : [];
      const plan =
        terms === undefined
          ? await findPriced(tx, newest)
          : { ...newest, currency: terms.terms.currency };
      if (plan !== undefined) {
        await bill(deps, tx, context, { tenantId, plan });
        return;
      }
      await tenantPlans.change(services, tx, context, input);
      const ended = await readAccount(deps, tx, { key: { tenantId, environment: "live" } });
      if (ended !== undefined) {
        await releaseOnFreePlan(deps, tx, ended);
      }
    },
  };
}

const STARTING: CallContext = {
  actor: { type: "system", id: "billing" },
  requestId: "billing.start",
};
