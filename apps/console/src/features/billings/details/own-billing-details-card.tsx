import { t } from "@lingui/core/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { findBillingRefusal } from "#components/billing/billing-refusal.view-model.ts";
import type { BillingPlace } from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { BillingDetails } from "./billing-details.queries.ts";
import { BillingDetailsCard } from "./billing-details-card.tsx";
import { BillingDetailsDialog } from "./billing-details-dialog.tsx";

type OwnProps = { tenant: OwnTenant; place: BillingPlace };

/** The customer's own billing details. */
export function OwnBillingDetailsCard({ tenant, place }: OwnProps) {
  return (
    <BillingDetailsCard
      place={place}
      name={tenant.name}
      actions={(details) => <Setting tenant={tenant} place={place} details={details} />}
    />
  );
}

function Setting({ tenant, place, details }: OwnProps & { details: BillingDetails }) {
  const [isOpen, setIsOpen] = useState(false);
  const refusal = findBillingRefusal(tenant, t`change the billing details`);
  if (refusal !== undefined) {
    return <p className="mt-3 text-ink-muted text-xs">{refusal}</p>;
  }
  return (
    <>
      <Button className="mt-3" onClick={() => setIsOpen(true)}>
        {details.updatedAt === null ? t`Add billing details…` : t`Change the billing details…`}
      </Button>
      <BillingDetailsDialog
        place={place}
        name={tenant.name}
        details={details}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      />
    </>
  );
}
