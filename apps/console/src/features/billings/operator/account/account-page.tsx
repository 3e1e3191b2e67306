import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Menu, MenuItem } from "@turnpike/ui/menu";
import { Skeleton } from "@turnpike/ui/skeleton";
import ArrowLeft from "lucide-react/icons/arrow-left";
import ChevronDown from "lucide-react/icons/chevron-down";
import { useRef, useState } from "react";
import { ChangeDialog } from "#components/billing/change/change-dialog.tsx";
import type { ChangeRequest } from "#components/billing/change/change-request.view-model.ts";
import { toOfferAction } from "#components/billing/change/subscription-actions.view-model.ts";
import { SubscriptionPanel } from "#components/billing/change/subscription-panel.tsx";
import { EnvironmentChoice } from "#components/billing/environment-choice.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { type BillingPlace, subscriptionQuery } from "#platform/billing-queries.ts";
import type { Environment } from "#platform/current-environment.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import type { BillingsSearch } from "../../billings-search.view-model.ts";
import { EventsCard } from "../../events-card.tsx";
import { InvoicesSection } from "../../invoices-section.tsx";
import { QuotasCard } from "../../quotas-card.tsx";
import { RunningInvoice } from "../../running-invoice.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { AdjustmentDialog } from "./adjustment-dialog.tsx";
import { BalanceCard } from "./balance-card.tsx";
import { type BilledTenant, billedTenantQuery } from "./billed-tenant.query.ts";
import { CreditsOfTenant } from "./credits-of-tenant.tsx";
import { DetailsOfTenant } from "./details-of-tenant.tsx";
import { SpendCapOfTenant } from "./spend-cap-of-tenant.tsx";

export type AccountPageProps = AllInvoicesProps & {
  environment: Environment;
  /** Id of the tenant. */
  owner: string;
};

/** Everything about the billing of one tenant on one page, and what an operator can do for it. */
export function AccountPage(props: AccountPageProps) {
  const tenant = useQuery(billedTenantQuery(usePlatform().api, props.owner));
  const { data } = tenant;
  const [isCharging, setIsCharging] = useState(false);
  const [request, setRequest] = useState<ChangeRequest>();
  return (
    <Page
      title={data?.name ?? t`Tenant`}
      purpose={t`Plan, usage, invoices, balance, and everything that happened to its billing.`}
      action={
        <>
          <EnvironmentChoice environment={props.environment} />
          {data !== undefined && (
            <>
              <PlanMenu
                place={{ tenantId: data.tenantId, environment: props.environment }}
                onRequest={setRequest}
              />
              <Button onClick={() => setIsCharging(true)}>
                <Trans>Charge once…</Trans>
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Button
          look="quiet"
          size="small"
          className="-ml-2.5"
          onClick={() => props.onSearchChange({ view: "all" })}
        >
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          <Trans>Invoices of all tenants</Trans>
        </Button>
        {data !== undefined && (
          <>
            {data.suspendedAt !== null && (
              <Badge tone="danger">
                <Trans>Suspended</Trans>
              </Badge>
            )}
            {props.environment === "test" && (
              <Badge tone="warning">
                <Trans>Sandbox, nothing is owed</Trans>
              </Badge>
            )}
            <Link
              to="/overview"
              search={{ tenant: data.slug }}
              className="font-medium text-sm underline underline-offset-4"
            >
              <Trans>Visit {data.name}</Trans>
            </Link>
          </>
        )}
      </div>
      {data !== undefined ? (
        <Account
          {...props}
          key={data.tenantId}
          tenant={data}
          request={request}
          onRequest={setRequest}
        />
      ) : tenant.isError ? (
        <FailureNotice
          what={t`The tenant could not be loaded.`}
          cause={tenant.error}
          onRetry={() => void tenant.refetch()}
        />
      ) : (
        <div role="status" aria-label={t`Loading the tenant`}>
          <Skeleton className="h-96 w-full rounded-card" />
        </div>
      )}
      {data !== undefined && (
        <AdjustmentDialog
          place={{ tenantId: data.tenantId, environment: props.environment }}
          name={data.name}
          isOpen={isCharging}
          onClose={() => setIsCharging(false)}
        />
      )}
    </Page>
  );
}

type AccountProps = AccountPageProps & {
  tenant: BilledTenant;
  /** The change that is asked for; undefined while there is none. */
  request: ChangeRequest | undefined;
  onRequest: (request: ChangeRequest | undefined) => void;
};

function Account(props: AccountProps) {
  const { tenant, environment, owner, search, onSearchChange, request, onRequest } = props;
  const { api } = usePlatform();
  const place: BillingPlace = { tenantId: tenant.tenantId, environment };
  const catalog = useQuery(catalogQuery(api));
  const plans = catalog.data?.plans ?? [];
  const heading = useRef<HTMLHeadingElement>(null);
  const parts = {
    tenant,
    place,
    search,
    onSearchChange: (next: BillingsSearch) => onSearchChange({ ...next, view: "all", owner }),
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-3">
      <div className="min-w-0 space-y-4 lg:col-span-2">
        <div className="-mb-4">
          <SubscriptionPanel
            place={place}
            plans={plans}
            refusal={undefined}
            headingRef={heading}
            onRequest={onRequest}
          />
        </div>
        <RunningInvoice {...parts} />
        <InvoicesSection {...parts} />
        <EventsCard place={place} />
      </div>
      <div className="min-w-0 space-y-4">
        <BalanceCard place={place} />
        <DetailsOfTenant place={place} name={tenant.name} />
        <CreditsOfTenant place={place} name={tenant.name} />
        <SpendCapOfTenant place={place} name={tenant.name} />
        <QuotasCard tenant={tenant} environment={environment} />
      </div>
      <ChangeDialog
        place={place}
        request={request}
        doneFocus={heading}
        onClose={() => onRequest(undefined)}
      />
    </div>
  );
}

type PlanMenuProps = { place: BillingPlace; onRequest: (request: ChangeRequest) => void };

/** Every plan that the tenant could be given, those that customers cannot see included. */
function PlanMenu({ place, onRequest }: PlanMenuProps) {
  const { api } = usePlatform();
  const catalog = useQuery(catalogQuery(api));
  const subscription = useQuery(subscriptionQuery(api, place));
  const actions = (catalog.data?.plans ?? [])
    .filter(({ archivedAt }) => archivedAt === null)
    .flatMap((plan) => toOfferAction(plan, subscription.data) ?? []);
  if (actions.length === 0) {
    return null;
  }
  return (
    <Menu
      trigger={
        <Button>
          <Trans>Change plan</Trans>
          <ChevronDown aria-hidden="true" className="size-4" />
        </Button>
      }
    >
      {actions.map(({ key, label, request }) => (
        <MenuItem key={key} onSelect={() => onRequest(request)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
