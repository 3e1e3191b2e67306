import { t } from "@lingui/core/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { findBillingRefusal } from "#components/billing/billing-refusal.view-model.ts";
import type { BillingPlace } from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { SpendCap } from "./spend-cap.queries.ts";
import { SpendCapCard } from "./spend-cap-card.tsx";
import { SpendCapDialog } from "./spend-cap-dialog.tsx";

/** The customer's own cap. */
export function OwnSpendCapCard({ tenant, place }: { tenant: OwnTenant; place: BillingPlace }) {
  return (
    <SpendCapCard
      place={place}
      actions={(cap) => <Setting tenant={tenant} place={place} cap={cap} />}
    />
  );
}

function Setting({
  tenant,
  place,
  cap,
}: {
  tenant: OwnTenant;
  place: BillingPlace;
  cap: SpendCap;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const refusal = findBillingRefusal(tenant, t`set the spend cap`);
  if (refusal !== undefined) {
    return <p className="mt-3 text-ink-muted text-xs">{refusal}</p>;
  }
  return (
    <>
      <Button className="mt-3" onClick={() => setIsOpen(true)}>
        {cap.tenantCap === null ? t`Set a spend cap…` : t`Change the spend cap…`}
      </Button>
      <SpendCapDialog place={place} cap={cap} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
