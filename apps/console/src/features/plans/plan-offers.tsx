import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { termsOfPhase } from "@turnpike/domain/catalog/terms-of-phase";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type ReactNode, useRef, useState } from "react";
import { AdviceLine } from "#components/advice/advice-line.tsx";
import { findBillingRefusal } from "#components/billing/billing-refusal.view-model.ts";
import { ChangeDialog } from "#components/billing/change/change-dialog.tsx";
import type { ChangeRequest } from "#components/billing/change/change-request.view-model.ts";
import {
  type LabelledRequest,
  toOfferAction,
} from "#components/billing/change/subscription-actions.view-model.ts";
import { SubscriptionPanel } from "#components/billing/change/subscription-panel.tsx";
import { SandboxClock } from "#components/billing/sandbox-clock.tsx";
import { useBillingPlace } from "#components/billing/use-billing-place.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toMonthlyPrice } from "#components/plan.view-model.ts";
import { toIdleText, toWholeUnits } from "#components/pricing/comparison.view-model.ts";
import { isSameInterval, toInterval } from "#components/pricing/interval-words.ts";
import { PriceComparison } from "#components/pricing/price-comparison.tsx";
import { usePriceEngine } from "#components/pricing/use-price-engine.ts";
import { subscriptionQuery } from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import {
  catalogQuery,
  type Limits,
  limitsQuery,
  type Meter,
  type Plan,
} from "#platform/shared-queries.ts";
import { toOffer } from "./offers/offer.view-model.ts";
import { OfferCard } from "./offers/offer-card.tsx";
import { sortOffers, toOfferNote } from "./offers/offers-of-tenant.view-model.ts";
import { findHidden, type Rhythm } from "./offers/siblings.view-model.ts";
import { toQuotaFits } from "./plans.view-model.ts";

export type PlanOffersProps = {
  /** Whose plan is compared and changed; undefined for none. */
  tenant: OwnTenant | undefined;
  /** The tenant's name for a visitor; undefined when the reader belongs to it. */
  owner: string | undefined;
  /** Shown when no plan is published. */
  empty: ReactNode;
  /** What follows the plans. It comes with them: below an empty place it would jump where they cannot be loaded. */
  children: ReactNode;
};

/** The plans side by side with everything they charge and allow, and the price of any usage in each. */
export function PlanOffers(props: PlanOffersProps) {
  const catalog = useQuery(catalogQuery(usePlatform().api));
  return catalog.isPending ? (
    <LoadingOffers />
  ) : (
    <>
      <FoundOffers {...props} catalog={catalog} />
      {props.children}
    </>
  );
}

type FoundOffersProps = Omit<PlanOffersProps, "children"> & { catalog: UseQueryResult<Catalog> };

function FoundOffers({ catalog, tenant, owner, empty }: FoundOffersProps) {
  if (catalog.data === undefined) {
    return (
      <FailureNotice
        what={t`The plans could not be loaded.`}
        cause={catalog.error}
        onRetry={() => void catalog.refetch()}
      />
    );
  }
  const { plans, meters } = catalog.data;
  if (plans.length === 0) {
    return empty;
  }
  return tenant === undefined ? (
    <Offers plans={plans} meters={meters} />
  ) : (
    <OffersOfTenant plans={plans} meters={meters} tenant={tenant} owner={owner} />
  );
}

function LoadingOffers() {
  return (
    <div role="status" aria-label={t`Loading plans`} className="grid gap-4 md:grid-cols-3">
      {[0, 1, 2].map((place) => (
        <Skeleton key={place} className="h-96 w-full rounded-card" />
      ))}
    </div>
  );
}

type Catalog = { plans: readonly Plan[]; meters: readonly Meter[] };

function OffersOfTenant({
  tenant,
  owner,
  ...catalog
}: Catalog & { tenant: OwnTenant; owner: string | undefined }) {
  const { api } = usePlatform();
  const place = useBillingPlace(tenant.tenantId);
  const [request, setRequest] = useState<ChangeRequest>();
  const heading = useRef<HTMLHeadingElement>(null);
  const subscribed = useQuery(subscriptionQuery(api, place));
  const subscription = subscribed.data;
  const limits = useQuery(limitsQuery(api, tenant.tenantId));
  const refusal = findBillingRefusal(tenant, t`change the plan`);
  return (
    <>
      {place.environment === "test" && <SandboxClock tenant={tenant} />}
      <SubscriptionPanel
        place={place}
        plans={catalog.plans}
        refusal={refusal}
        headingRef={heading}
        onRequest={setRequest}
      />
      {limits.data !== undefined && !isOffered(catalog.plans, limits.data.planId) && (
        <p className="mb-4 max-w-[72ch]">{toUnsoldText(limits.data, owner)}</p>
      )}
      {/* Until their heights are known, the cards would be moved by what is above them. */}
      {subscribed.isPending || limits.isPending ? (
        <LoadingOffers />
      ) : (
        <Offers
          {...catalog}
          of={{
            // What is scheduled is not in force yet.
            currentPlanId:
              subscription === undefined || subscription.life === "scheduled"
                ? tenant.planId
                : subscription.planId,
            limits: limits.data,
            environment: place.environment,
            owner,
            toNote: (plan) =>
              toOfferNote(plan, {
                subscription,
                // Versions are of the live plan.
                limits: place.environment === "live" ? limits.data : undefined,
                price: limits.data && toMonthlyPrice(limits.data.plan),
                owner,
              }),
            toAction: (plan) =>
              refusal === undefined ? toOfferAction(plan, subscription) : undefined,
            onAction: (action) => setRequest(action.request),
          }}
        />
      )}
      {/* It takes longer than all else: below the cards it moves none. */}
      {place.environment === "live" && mayInTenant(tenant, "billing:read") && (
        <AdviceLine tenantId={tenant.tenantId} />
      )}
      {limits.isError && (
        <div className="mt-4">
          <FailureNotice
            what={t`Your usage could not be compared with these plans.`}
            cause={limits.error}
            onRetry={() => void limits.refetch()}
          />
        </div>
      )}
      <ChangeDialog
        place={place}
        request={request}
        doneFocus={heading}
        onClose={() => setRequest(undefined)}
      />
    </>
  );
}

function isOffered(plans: readonly Plan[], planId: string): boolean {
  return plans.some((plan) => plan.planId === planId && plan.archivedAt === null);
}

function toUnsoldText(limits: Limits, owner: string | undefined): string {
  const { name } = limits.plan;
  const price = toMonthlyPrice(limits.plan);
  return owner === undefined
    ? t`You are on ${name}, at ${price}. It is no longer sold, but stays in force.`
    : t`${owner} is on ${name}, at ${price}. It is no longer sold, but stays in force.`;
}

/** What is known of the tenant that the offers are for. */
type OfferedTo = {
  currentPlanId: string;
  /** Undefined where they could not be loaded. */
  limits: Limits | undefined;
  environment: "live" | "test";
  owner: string | undefined;
  toNote: (plan: Plan) => string | undefined;
  toAction: (plan: Plan) => LabelledRequest | undefined;
  onAction: (action: LabelledRequest) => void;
};

const RHYTHMS = [
  { value: "month", label: t`Monthly` },
  { value: "year", label: t`Yearly` },
] as const satisfies readonly { value: Rhythm; label: string }[];

function Offers({ plans, meters, of }: Catalog & { of?: OfferedTo }) {
  const [rhythm, setRhythm] = useState<Rhythm>("month");
  const { pricers, error, retry } = usePriceEngine(plans, meters);
  const sorted = sortOffers(plans, of?.currentPlanId);
  const isHidden = findHidden(
    sorted.plans.map((plan) => toOffer(plan, meters)),
    rhythm,
  );
  const shown = sorted.plans.filter(
    (plan) => plan.planId === of?.currentPlanId || isHidden?.(toOffer(plan, meters)) !== true,
  );
  const used = new Map(
    (of?.limits?.balances ?? [])
      .filter(({ environment }) => environment === of?.environment)
      .map((balance) => [balance.meter, toWholeUnits(balance.used)]),
  );
  const renderCard = (plan: Plan) => {
    const pricer = pricers?.get(plan.planId);
    const meter = meters.find(({ meterId }) =>
      plan.phases.at(-1)?.rateCards.some((card) => card.meter === meterId),
    );
    const isCurrent = plan.planId === of?.currentPlanId;
    const offer = toOffer(plan, meters);
    return (
      <OfferCard
        key={plan.planId}
        offer={offer}
        mark={isCurrent ? toMark(of?.owner) : undefined}
        note={of?.toNote(plan)}
        // What has no usage costs its price, which is above.
        idleText={
          plan.isAddOn && meter === undefined
            ? null
            : pricer &&
              toIdleText(pricer, plan, {
                fees: offer.fees,
                isMonthly: isSameInterval(offer.interval, toInterval(undefined)),
              })
        }
        fits={
          of?.limits === undefined
            ? []
            : toQuotaFits(toLastingQuotas(plan), of.limits, meters, of.environment, of.owner)
        }
        action={of?.toAction(plan)}
        onAction={(action) => of?.onAction(action)}
      />
    );
  };
  return (
    <>
      {isHidden !== undefined && (
        <div className="mb-4">
          <SegmentedControl
            label={t`Paid by the month or by the year`}
            segments={RHYTHMS}
            value={rhythm}
            onValueChange={setRhythm}
          />
        </div>
      )}
      <ul className={GRID_CLASSES}>{shown.map(renderCard)}</ul>
      {sorted.addOns.length > 0 && (
        <section aria-labelledby="add-ons" className="mt-8">
          <h2 id="add-ons" className="mb-3 font-semibold text-base">
            <Trans>Add-ons</Trans>
          </h2>
          <ul className="grid gap-4 sm:grid-cols-[repeat(auto-fill,minmax(17rem,1fr))]">
            {sorted.addOns.map(renderCard)}
          </ul>
        </section>
      )}
      {pricers !== undefined && (
        <PriceComparison
          plans={shown}
          meters={meters}
          pricers={pricers}
          used={used}
          currentPlanId={of?.currentPlanId}
        />
      )}
      {error !== null && (
        <div className="mt-4">
          <FailureNotice
            what={t`The prices of usage could not be computed.`}
            cause={error}
            onRetry={retry}
          />
        </div>
      )}
    </>
  );
}

/** The quotas that stay: those of a trial say nothing of a plan. */
function toLastingQuotas(plan: Plan) {
  return termsOfPhase(plan, plan.phases.length - 1);
}

const GRID_CLASSES = "grid gap-4 sm:grid-cols-[repeat(auto-fit,minmax(17rem,1fr))]";

function toMark(owner: string | undefined): string {
  return owner === undefined ? t`Current plan` : t`Plan of ${owner}`;
}
