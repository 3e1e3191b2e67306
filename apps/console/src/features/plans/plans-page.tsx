import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { EmptyState } from "@turnpike/ui/empty-state";
import { joinClasses } from "@turnpike/ui/join-classes";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import Layers from "lucide-react/icons/layers";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { type PlanView, toPlanView } from "#components/plan.view-model.ts";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery, limitsQuery } from "#platform/shared-queries.ts";
import { PlanChangeNote } from "./plan-change-note.tsx";
import { type QuotaFit, toQuotaFits } from "./plans.view-model.ts";

/** `/plans`: what is sold, what this tenant is on, and how its use would fit each. */
export function PlansPage() {
  return (
    <Page
      title="Plans"
      purpose="Every plan with all its limits, and how this period’s usage fits into each."
    >
      <TenantGate>{(tenant) => <Plans tenant={tenant} />}</TenantGate>
    </Page>
  );
}

function Plans({ tenant }: { tenant: OwnTenant }) {
  const { api, config } = usePlatform();
  const catalog = useQuery(catalogQuery(api));
  const limits = useQuery(limitsQuery(api, tenant.tenantId));
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
    return (
      <EmptyState icon={<Layers />} title="No plan is published">
        {config.brand.name} has not published a plan yet. What your tenant is on stays in force.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="grid gap-4 sm:grid-cols-[repeat(auto-fit,minmax(17rem,1fr))]">
        {plans.map((plan) => (
          <PlanCard
            key={plan.planId}
            view={toPlanView(plan, meters)}
            isCurrent={plan.planId === tenant.planId}
            isOlder={
              plan.planId === tenant.planId &&
              limits.data !== undefined &&
              limits.data.planVersion < plan.version
            }
            fits={limits.data === undefined ? undefined : toQuotaFits(plan, limits.data, meters)}
          />
        ))}
      </ul>
      {limits.isError && (
        <div className="mt-4">
          <FailureNotice
            what="How your usage fits could not be loaded."
            cause={limits.error}
            onRetry={() => void limits.refetch()}
          />
        </div>
      )}
      <PlanChangeNote brandName={config.brand.name} contact={config.contact} />
    </>
  );
}

type PlanCardProps = {
  view: PlanView;
  isCurrent: boolean;
  /** The tenant bought an earlier version, which it keeps. */
  isOlder: boolean;
  fits: readonly QuotaFit[] | undefined;
};

function PlanCard({ view, isCurrent, isOlder, fits }: PlanCardProps) {
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
          {isCurrent && <Badge tone="accent">Current plan</Badge>}
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
        {isOlder && (
          <p className="mt-3 text-ink-muted text-xs">
            You keep the version that you started on; this is the newest one.
          </p>
        )}
        <div className="mt-auto pt-5">
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
