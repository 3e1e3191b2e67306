import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { BillingPlace } from "#platform/billing-queries.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type BillingDetails, billingDetailsQuery } from "./billing-details.queries.ts";
import { listAddressLines, toTaxIdState } from "./billing-details.view-model.ts";

export type BillingDetailsCardProps = {
  place: BillingPlace;
  /** Of the tenant: invoices name it until a company is given. */
  name: string;
  /** What can be done: beneath the details. */
  actions: (details: BillingDetails) => ReactNode;
};

/** The addressee of the invoices of a tenant, and its tax id. The sandbox has none of its own. */
export function BillingDetailsCard({ place, name, actions }: BillingDetailsCardProps) {
  const { api } = usePlatform();
  const isLive = place.environment === "live";
  const query = useQuery({ ...billingDetailsQuery(api, place), enabled: isLive });
  if (!isLive) {
    return null;
  }
  if (query.data === undefined) {
    return query.isError ? (
      <Card title={t`Billing details`}>
        <FailureNotice
          what={t`The billing details could not be loaded.`}
          cause={query.error}
          onRetry={() => void query.refetch()}
        />
      </Card>
    ) : (
      <div role="status" aria-label={t`Loading the billing details`}>
        <Skeleton className="h-36 w-full rounded-card" />
      </div>
    );
  }
  return (
    <Card title={t`Billing details`} description={t`On invoices from the next one on.`}>
      <Facts details={query.data} name={name} />
      {actions(query.data)}
    </Card>
  );
}

function Facts({ details, name }: { details: BillingDetails; name: string }) {
  const lines = listAddressLines(details);
  const taxId = toTaxIdState(details);
  return (
    <div className="space-y-2 [overflow-wrap:anywhere]">
      {details.companyName === null && (
        <p className={lines.length === 0 ? "text-ink-muted" : ""}>
          {lines.length === 0 ? (
            <Trans>Invoices are made out to {name}, without an address.</Trans>
          ) : (
            name
          )}
        </p>
      )}
      {lines.length > 0 && <p className="whitespace-pre-line">{lines.join("\n")}</p>}
      {details.email !== null && (
        <p className="text-ink-muted text-sm">
          <Trans>Invoices go to {details.email}</Trans>
        </p>
      )}
      {taxId !== undefined && (
        <div>
          <p className="flex flex-wrap items-center gap-2">
            <span>
              <Trans>Tax id {details.taxId}</Trans>
            </span>
            <Badge tone={taxId.tone}>{taxId.label}</Badge>
          </p>
          {taxId.says !== "" && <p className="mt-0.5 text-ink-muted text-xs">{taxId.says}</p>}
        </div>
      )}
      {details.isExempt && (
        <p className="text-sm">
          <Trans>No tax is charged: {details.exemption}</Trans>
        </p>
      )}
    </div>
  );
}
