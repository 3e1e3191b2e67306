import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { joinClasses } from "@turnpike/ui/join-classes";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatPrice, type PlanView, toPlanView } from "#components/plan.view-model.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery, type Limits } from "#platform/shared-queries.ts";
import { type QuotaFit, sortPlans, toQuotaFits } from "./plans.view-model.ts";

export type PlanCardsProps = {
  /** The tenant whose usage is compared with the plans. */
  tenant?: {
    planId: string;
    /** Undefined while they load. */
    limits: Limits | undefined;
    /** The tenant's name for a visitor; undefined when the reader belongs to it. */
    label: string | undefined;
  };
  /** Shown when no plan is published. */
  empty: ReactNode;
};

/** The plans side by side, with every limit. */
export function PlanCards({ tenant, empty }: PlanCardsProps) {
  const catalog = useQuery(catalogQuery(usePlatform().api));
  if (catalog.isError) {
    return (
      <FailureNotice
        what="The plans could not be loaded."
        cause={catalog.error}
        onRetry={() => void catalog.refetch()}
      />
    );
  }
  if (catalog.data === undefined) {
    return (
      <div role="status" aria-label="Loading plans" className="grid gap-4 md:grid-cols-3">
        {[0, 1, 2].map((place) => (
          <Skeleton key={place} className="h-72 w-full rounded-card" />
        ))}
      </div>
    );
  }
  const { plans, meters } = catalog.data;
  if (plans.length === 0) {
    return empty;
  }
  const limits = tenant?.limits;
  const isSold = plans.some(({ planId }) => planId === limits?.planId);
  return (
    <>
      {limits !== undefined && !isSold && (
        <p className="mb-4 max-w-[72ch]">
          {tenant?.label === undefined ? "You are" : `${tenant.label} is`} on {limits.plan.name}, at{" "}
          {toMonthlyPrice(limits)}. It is no longer sold, but stays in force.
        </p>
      )}
      <ul className="grid gap-4 sm:grid-cols-[repeat(auto-fit,minmax(17rem,1fr))]">
        {sortPlans(plans).map((plan) => {
          const isCurrent = plan.planId === tenant?.planId;
          return (
            <PlanCard
              key={plan.planId}
              view={toPlanView(plan, meters)}
              isCurrent={isCurrent}
              owner={tenant?.label}
              keptPrice={
                isCurrent && limits !== undefined && limits.planVersion < plan.version
                  ? toMonthlyPrice(limits)
                  : undefined
              }
              fits={
                tenant === undefined
                  ? []
                  : limits && toQuotaFits(plan, limits, meters, tenant.label)
              }
            />
          );
        })}
      </ul>
    </>
  );
}

/** The price of the tenant's version of the plan. */
function toMonthlyPrice({ plan }: Limits): string {
  return `${formatPrice(plan.pricePerMonth, plan.currency)} a month`;
}

type PlanCardProps = {
  view: PlanView;
  /** True when the tenant is on this plan. */
  isCurrent: boolean;
  /** The tenant on that plan; undefined when it is the reader's own. */
  owner: string | undefined;
  /** The price of the earlier version that the tenant keeps; undefined when it is on this version, or not on this plan. */
  keptPrice: string | undefined;
  /** Undefined while they load; empty without a tenant to compare. */
  fits: readonly QuotaFit[] | undefined;
};

function PlanCard({ view, isCurrent, owner, keptPrice, fits }: PlanCardProps) {
  return (
    <li
      className={joinClasses(
        "flex flex-col overflow-hidden rounded-card border bg-surface",
        isCurrent ? "border-line-control" : "border-line",
      )}
    >
      <div className={joinClasses("h-1", isCurrent && "bg-accent")} aria-hidden="true" />
      <div className="flex grow flex-col p-5 pt-4">
        <div className="flex items-start justify-between gap-3">
          <h2 className="font-semibold text-base">{view.name}</h2>
          {isCurrent && (
            <Badge tone="accent">
              <span className="max-w-40 truncate">
                {owner === undefined ? "Current plan" : `Plan of ${owner}`}
              </span>
            </Badge>
          )}
        </div>
        <p className="mt-2 flex items-baseline gap-1.5">
          <span className="font-semibold text-2xl tabular-nums tracking-tight">{view.price}</span>
          <span className="text-ink-muted">a month</span>
        </p>
        {view.description !== "" && <p className="mt-2 text-ink-muted">{view.description}</p>}
        <ul className="mt-4 space-y-2 border-line border-t pt-4">
          {view.terms.map(({ text, detail }) => (
            <li key={text} className="tabular-nums">
              {text}
              {detail !== undefined && (
                <span className="block text-ink-muted text-xs">{detail}</span>
              )}
            </li>
          ))}
        </ul>
        {keptPrice !== undefined && (
          <p className="mt-3 text-ink-muted text-xs">
            {owner === undefined
              ? `You keep the version you started on, at ${keptPrice}; this is the newest one.`
              : `${owner} keeps the version it started on, at ${keptPrice}; this is the newest one.`}
          </p>
        )}
        <div className="mt-auto space-y-4 pt-5">
          {fits === undefined ? (
            <Skeleton className="h-9 w-full" />
          ) : (
            fits.map((fit) => <FitLine key={fit.key} fit={fit} />)
          )}
        </div>
      </div>
    </li>
  );
}

function FitLine({ fit }: { fit: QuotaFit }) {
  return (
    <div className="space-y-1.5">
      <p className="text-ink-muted text-xs tabular-nums">{fit.text}</p>
      <MeterBar share={fit.share} tone={fit.tone} label={fit.text} />
    </div>
  );
}
