import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Tabs } from "@turnpike/ui/tabs";
import Layers from "lucide-react/icons/layers";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { limitsQuery } from "#platform/shared-queries.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { ChangePlanHelp } from "./change-plan-help.tsx";
import { MetersTab } from "./meters/meters-tab.tsx";
import { RejectedTab } from "./meters/rejected-tab.tsx";
import { PlanCards } from "./plan-cards.tsx";
import {
  choosePlansTab,
  PLANS_TABS,
  type PlansSearch,
  type PlansTab,
  parsePlansSearch,
} from "./plans-search.view-model.ts";
import { PublishedPlans } from "./published-plans.tsx";

const LABELS: Readonly<Record<PlansTab, string>> = {
  plans: "Plans",
  meters: "Meters",
  rejected: "Rejected events",
};

export type PlansPageProps = {
  search: PlansSearch;
  onSearchChange: (search: PlansSearch) => void;
};

/** `/plans`: the published plans, the tenant's own, and how its usage would fit each. Operators also find the meters. */
export function PlansPage(props: PlansPageProps) {
  const { user } = useVerifiedUser();
  if (!user.isOperator) {
    return (
      <Page
        title="Plans"
        purpose="Every plan with all its limits, and how this period’s usage fits each one."
      >
        <TenantGate>{(tenant) => <Plans tenant={tenant} />}</TenantGate>
      </Page>
    );
  }
  return (
    <Page
      title="Plans"
      purpose="What you sell: your plans, the meters they limit, and events that could not be counted."
    >
      <Tabs
        label="Plans"
        value={choosePlansTab(props.search, user.isOperator)}
        onValueChange={(tab) => props.onSearchChange(parsePlansSearch({ tab }))}
        tabs={PLANS_TABS.map((value) => ({
          value,
          label: LABELS[value],
          content: renderTab(value, props),
        }))}
      />
    </Page>
  );
}

/** The tabs of an operator. */
function renderTab(tab: PlansTab, props: PlansPageProps): ReactNode {
  switch (tab) {
    case "plans":
      return <PublishedPlans />;
    case "meters":
      return <MetersTab {...props} />;
    case "rejected":
      return <RejectedTab {...props} />;
    default:
      return tab satisfies never;
  }
}

function Plans({ tenant }: { tenant: OwnTenant }) {
  const { api, config } = usePlatform();
  const limits = useQuery(limitsQuery(api, tenant.tenantId));
  return (
    <>
      <PlanCards
        tenant={{ ...tenant, limits: limits.data, label: undefined }}
        empty={
          <EmptyState icon={<Layers />} title="No plan is published">
            {config.brand.name} has not published a plan yet. Your tenant’s current plan stays in
            force.
          </EmptyState>
        }
      />
      {limits.isError && (
        <div className="mt-4">
          <FailureNotice
            what="How your usage fits could not be loaded."
            cause={limits.error}
            onRetry={() => void limits.refetch()}
          />
        </div>
      )}
      <ChangePlanHelp brandName={config.brand.name} contact={config.contact} />
    </>
  );
}
