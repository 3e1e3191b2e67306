import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { findBillingRefusal } from "#components/billing/billing-refusal.view-model.ts";
import type { BillingPlace } from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { AutomaticTopUpDialog } from "./automatic-top-up-dialog.tsx";
import { BuyCreditDialog } from "./buy-credit-dialog.tsx";
import { CreditAlertsDialog } from "./credit-alerts-dialog.tsx";
import type { Credits } from "./credits.queries.ts";
import { describeAutomatic } from "./credits.view-model.ts";
import { CreditsCard } from "./credits-card.tsx";

export type OwnCreditsCardProps = {
  tenant: OwnTenant;
  place: BillingPlace;
  /** Opens an invoice. */
  onOpenInvoice: (invoiceId: string) => void;
};

/** The customer's credits: bought here, or by themselves. */
export function OwnCreditsCard({ tenant, place, onOpenInvoice }: OwnCreditsCardProps) {
  return (
    <CreditsCard
      place={place}
      actions={(credits) => (
        <>
          {credits.topUps !== null && (
            <Buying tenant={tenant} place={place} credits={credits} onOpenInvoice={onOpenInvoice} />
          )}
          {credits.draw !== null && place.environment === "live" && (
            <Notices tenant={tenant} place={place} credits={credits} />
          )}
        </>
      )}
    />
  );
}

/** When notices go out on a prepaid plan. */
function Notices({
  tenant,
  place,
  credits,
}: Omit<OwnCreditsCardProps, "onOpenInvoice"> & { credits: Credits }) {
  const [isOpen, setIsOpen] = useState(false);
  if (findBillingRefusal(tenant, t`change notices`) !== undefined) {
    return null;
  }
  return (
    <>
      <Button look="quiet" size="small" className="mt-3 -ml-2.5" onClick={() => setIsOpen(true)}>
        <Trans>Change notices…</Trans>
      </Button>
      <CreditAlertsDialog
        place={place}
        credits={credits}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      />
    </>
  );
}

function Buying({
  tenant,
  place,
  credits,
  onOpenInvoice,
}: OwnCreditsCardProps & { credits: Credits }) {
  const [open, setOpen] = useState<"buy" | "automatic">();
  const refusal = findBillingRefusal(tenant, t`buy credit`);
  const close = () => setOpen(undefined);
  return (
    <div className="mt-3 border-line border-t pt-3">
      <p className="text-ink-muted text-sm">{describeAutomatic(credits)}</p>
      {refusal === undefined ? (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button onClick={() => setOpen("buy")}>
            <Trans>Buy credit…</Trans>
          </Button>
          <Button look="quiet" onClick={() => setOpen("automatic")}>
            <Trans>Automatic top-up…</Trans>
          </Button>
        </div>
      ) : (
        <p className="mt-2 text-ink-muted text-xs">{refusal}</p>
      )}
      <BuyCreditDialog
        place={place}
        credits={credits}
        isOpen={open === "buy"}
        onClose={close}
        onBought={onOpenInvoice}
      />
      <AutomaticTopUpDialog
        place={place}
        credits={credits}
        isOpen={open === "automatic"}
        onClose={close}
      />
    </div>
  );
}
