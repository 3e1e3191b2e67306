import { t } from "@lingui/core/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import type { BillingPlace } from "#platform/billing-queries.ts";
import type { SpendCap } from "../../spend-cap/spend-cap.queries.ts";
import { SpendCapCard } from "../../spend-cap/spend-cap-card.tsx";
import { OperatorCapDialog } from "./operator-cap-dialog.tsx";

/** The spend cap of one tenant, with the operator's own. */
export function SpendCapOfTenant({ place, name }: { place: BillingPlace; name: string }) {
  return (
    <SpendCapCard
      place={place}
      actions={(cap) => <Setting place={place} name={name} cap={cap} />}
    />
  );
}

function Setting({ place, name, cap }: { place: BillingPlace; name: string; cap: SpendCap }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button className="mt-3" onClick={() => setIsOpen(true)}>
        {cap.operatorCap === null ? t`Set a cap of your own…` : t`Change your cap…`}
      </Button>
      <OperatorCapDialog
        place={place}
        name={name}
        cap={cap}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      />
    </>
  );
}
