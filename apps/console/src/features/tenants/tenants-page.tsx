import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { Tabs } from "@turnpike/ui/tabs";
import { type ReactNode, useState } from "react";
import { LateCreateTenantDialog } from "#components/late-create-tenant-dialog.tsx";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import { AgentsTab } from "./agents/agents-tab.tsx";
import { AuditTab } from "./audit/audit-tab.tsx";
import { MembersTab } from "./members/members-tab.tsx";
import { YourTenantsTab } from "./own/your-tenants-tab.tsx";
import { SettingsTab } from "./settings/settings-tab.tsx";
import { SsoTab } from "./sso/sso-tab.tsx";
import type { TabProps } from "./tab-props.ts";
import { chooseTab, TABS, type TenantsTab, toTabSearch } from "./tenants-search.view-model.ts";
import { WebhooksTab } from "./webhooks/webhooks-tab.tsx";

const LABELS: Readonly<Record<TenantsTab, string>> = {
  yours: t`Your tenants`,
  settings: t`Settings`,
  members: t`Members`,
  webhooks: t`Webhooks`,
  agents: t`Agents`,
  sso: t`Single sign-on`,
  audit: t`Audit log`,
};

/** `/tenants` */
export function TenantsPage(props: TabProps) {
  const [isCreating, setIsCreating] = useState(false);
  const tab = chooseTab(props.search);
  const create = () => setIsCreating(true);
  return (
    <Page
      title={t`Tenants`}
      purpose={t`The tenants you belong to, their settings and who works in them.`}
      {...(tab === "yours" && {
        action: (
          <Button look="primary" onClick={create}>
            <Trans>Create tenant</Trans>
          </Button>
        ),
      })}
    >
      <Tabs
        label={t`Tenants`}
        value={tab}
        onValueChange={(tab) => props.onSearchChange(toTabSearch(tab))}
        tabs={TABS.map((value) => ({
          value,
          label: LABELS[value],
          content: renderTab(value, props, create),
        }))}
      />
      <LateCreateTenantDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
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
    default:
      return tab satisfies never;
  }
}
