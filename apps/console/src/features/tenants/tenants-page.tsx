import { Button } from "@turnpike/ui/button";
import { Tabs } from "@turnpike/ui/tabs";
import { type ReactNode, useState } from "react";
import { CreateTenantDialog } from "#components/create-tenant-dialog.tsx";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { AgentsTab } from "./agents/agents-tab.tsx";
import { AuditTab } from "./audit/audit-tab.tsx";
import { HealthTab } from "./health/health-tab.tsx";
import { MembersTab } from "./members/members-tab.tsx";
import { AllTenantsTab } from "./operator/all-tenants-tab.tsx";
import { InsightsTab } from "./operator/insights-tab.tsx";
import { OutboxTab } from "./operator/outbox-tab.tsx";
import { ServiceKeysTab } from "./operator/service-keys-tab.tsx";
import { YourTenantsTab } from "./own/your-tenants-tab.tsx";
import { SettingsTab } from "./settings/settings-tab.tsx";
import { SsoTab } from "./sso/sso-tab.tsx";
import type { TabProps } from "./tab-props.ts";
import { chooseTab, listTabs, type TenantsTab, toTabSearch } from "./tenants-search.view-model.ts";
import { WebhooksTab } from "./webhooks/webhooks-tab.tsx";

const LABELS: Readonly<Record<TenantsTab, string>> = {
  yours: "Your tenants",
  settings: "Settings",
  members: "Members",
  webhooks: "Webhooks",
  agents: "Agents",
  sso: "Single sign-on",
  audit: "Audit log",
  all: "All tenants",
  insights: "Insights",
  "service-keys": "Service keys",
  outbox: "Outbox",
  health: "Health",
};

/** The tabs that list tenants; the other tabs have their own actions. */
const TENANT_TABS: readonly TenantsTab[] = ["yours", "all"];

/** `/tenants` */
export function TenantsPage(props: TabProps) {
  const { user } = useVerifiedUser();
  const [isCreating, setIsCreating] = useState(false);
  const tab = chooseTab(props.search, user.isOperator);
  const create = () => setIsCreating(true);
  return (
    <Page
      title="Tenants"
      purpose={
        user.isOperator
          ? "Your tenants and who works in them, and the whole installation you operate."
          : "The tenants you belong to, their settings and who works in them."
      }
      {...(TENANT_TABS.includes(tab) && {
        action: (
          <Button look="primary" onClick={create}>
            Create tenant
          </Button>
        ),
      })}
    >
      <Tabs
        label="Tenants"
        value={tab}
        onValueChange={(tab) => props.onSearchChange(toTabSearch(tab))}
        tabs={listTabs(user.isOperator).map((value) => ({
          value,
          label: LABELS[value],
          content: renderTab(value, props, create),
        }))}
      />
      <CreateTenantDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  );
}

function renderTab(tab: TenantsTab, props: TabProps, create: () => void): ReactNode {
  switch (tab) {
    case "yours":
      return <YourTenantsTab onCreate={create} />;
    case "settings":
      return (
        <TenantGate>{(tenant) => <SettingsTab key={tenant.tenantId} tenant={tenant} />}</TenantGate>
      );
    case "members":
      return (
        <TenantGate>
          {(tenant) => <MembersTab key={tenant.tenantId} tenant={tenant} {...props} />}
        </TenantGate>
      );
    case "webhooks":
      return (
        <TenantGate>
          {(tenant) => <WebhooksTab key={tenant.tenantId} tenant={tenant} {...props} />}
        </TenantGate>
      );
    case "agents":
      return (
        <TenantGate>{(tenant) => <AgentsTab key={tenant.tenantId} tenant={tenant} />}</TenantGate>
      );
    case "sso":
      return (
        <TenantGate>{(tenant) => <SsoTab key={tenant.tenantId} tenant={tenant} />}</TenantGate>
      );
    case "audit":
      return (
        <TenantGate>
          {(tenant) => <AuditTab key={tenant.tenantId} tenant={tenant} {...props} />}
        </TenantGate>
      );
    case "all":
      return <AllTenantsTab {...props} />;
    case "insights":
      return <InsightsTab {...props} />;
    case "service-keys":
      return <ServiceKeysTab {...props} />;
    case "outbox":
      return <OutboxTab {...props} />;
    case "health":
      return <HealthTab />;
    default:
      return tab satisfies never;
  }
}
