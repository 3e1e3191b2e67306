import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Tabs } from "@turnpike/ui/tabs";
import Layers from "lucide-react/icons/layers";
import { lazy, type ReactNode } from "react";
import { EnvironmentChoice } from "#components/billing/environment-choice.tsx";
import { useBillingPlace } from "#components/billing/use-billing-place.ts";
import { InsightNotes } from "#components/insights/insight-notes.tsx";
import { KINDS } from "#components/insights/insights.view-model.ts";
import { LateContent } from "#components/late-content.tsx";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { ChangePlanHelp } from "./change-plan-help.tsx";
import { PlanOffers } from "./plan-offers.tsx";
import {
  choosePlansTab,
  PLANS_TABS,
  type PlansSearch,
  type PlansTab,
  parsePlansSearch,
} from "./plans-search.view-model.ts";
import { PublishedPlans } from "./published-plans.tsx";

/** Only for operators, and each only when it is opened. */
const CatalogueTab = lazy(async () => ({
  default: (await import("./editor/catalogue-tab.tsx")).CatalogueTab,
}));
const CouponsTab = lazy(async () => ({
  default: (await import("./editor/coupons/coupons-tab.tsx")).CouponsTab,
}));
const MetersTab = lazy(async () => ({
  default: (await import("./meters/meters-tab.tsx")).MetersTab,
}));
const RejectedTab = lazy(async () => ({
  default: (await import("./meters/rejected-tab.tsx")).RejectedTab,
}));

const LABELS: Readonly<Record<PlansTab, string>> = {
  plans: t`Plans`,
  catalogue: t`Catalogue`,
  coupons: t`Coupons`,
  meters: t`Meters`,
  rejected: t`Rejected events`,
};

const PLANS_PAGE = {
  title: t`Plans`,
  purpose: t`Every plan with all it charges and allows, and what your usage costs in each.`,
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
      <TenantGate page={PLANS_PAGE}>
        {(tenant) => (
          <Page {...PLANS_PAGE} action={<TenantEnvironment tenant={tenant} />}>
            <Plans key={tenant.tenantId} tenant={tenant} />
          </Page>
        )}
      </TenantGate>
    );
  }
  return (
    <Page
      title={t`Plans`}
      purpose={t`What you sell: your plans and coupons, the meters they charge, and events that could not be counted.`}
    >
      <Tabs
        label={t`Plans`}
        value={choosePlansTab(props.search, user.isOperator)}
        onValueChange={(tab) => props.onSearchChange(parsePlansSearch({ tab }))}
        tabs={PLANS_TABS.map((value) => ({
          value,
          label: LABELS[value],
          content: <LateContent>{renderTab(value, props)}</LateContent>,
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
    case "catalogue":
      return (
        <CatalogueTab
          place={{ plan: props.search.plan, isDraft: props.search.view === "draft" }}
          onPlaceChange={({ plan, isDraft }) =>
            props.onSearchChange(parsePlansSearch({ tab, plan, ...(isDraft && { view: "draft" }) }))
          }
        />
      );
    case "coupons":
      return <CouponsTab />;
    case "meters":
      return <MetersTab {...props} />;
    case "rejected":
      return <RejectedTab {...props} />;
    default:
      return tab satisfies never;
  }
}

function TenantEnvironment({ tenant }: { tenant: OwnTenant }) {
  const { environment } = useBillingPlace(tenant.tenantId);
  return <EnvironmentChoice environment={environment} />;
}

function Plans({ tenant }: { tenant: OwnTenant }) {
  const { config } = usePlatform();
  return (
    <PlanOffers
      tenant={tenant}
      owner={undefined}
      empty={
        <EmptyState icon={<Layers />} title={t`No plan is published`}>
          <Trans>
            {config.brand.name} has not published a plan yet. Your tenant’s current plan stays in
            force.
          </Trans>
        </EmptyState>
      }
    >
      <div className="mt-4">
        <InsightNotes
          tenant={tenant}
          title={t`Limits near their end`}
          isShown={({ kind }) => KINDS[kind].topic === "plan"}
        />
      </div>
      <ChangePlanHelp brandName={config.brand.name} contact={config.contact} />
    </PlanOffers>
  );
}
