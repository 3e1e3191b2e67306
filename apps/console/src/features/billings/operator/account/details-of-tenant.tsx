import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import type { BillingPlace } from "#platform/billing-queries.ts";
import type { BillingDetails } from "../../details/billing-details.queries.ts";
import { BillingDetailsCard } from "../../details/billing-details-card.tsx";
import { type TaxDecision, TaxDecisionDialog } from "./tax-decision-dialog.tsx";

/** The billing details of one tenant, with what the operator decides of its tax. */
export function DetailsOfTenant({ place, name }: { place: BillingPlace; name: string }) {
  return (
    <BillingDetailsCard
      place={place}
      name={name}
      actions={(details) => <Decisions place={place} name={name} details={details} />}
    />
  );
}

function Decisions({
  place,
  name,
  details,
}: {
  place: BillingPlace;
  name: string;
  details: BillingDetails;
}) {
  const [decision, setDecision] = useState<TaxDecision>();
  const { taxIdStatus, isExempt } = details;
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {taxIdStatus !== null && taxIdStatus !== "confirmed" && (
        <Button onClick={() => setDecision("confirmed")}>
          <Trans>Confirm the tax id…</Trans>
        </Button>
      )}
      {taxIdStatus !== null && taxIdStatus !== "invalid" && (
        <Button onClick={() => setDecision("invalid")}>
          <Trans>Refuse the tax id…</Trans>
        </Button>
      )}
      <Button onClick={() => setDecision(isExempt ? "taxed" : "exempt")}>
        {isExempt ? t`End the exemption…` : t`Exempt from tax…`}
      </Button>
      <TaxDecisionDialog
        place={place}
        name={name}
        details={details}
        decision={decision}
        onClose={() => setDecision(undefined)}
      />
    </div>
  );
}
