import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { findBillingRefusal } from "#components/billing/billing-refusal.view-model.ts";
import { usePlatform } from "#platform/platform.tsx";
import { BuyCreditDialog } from "./buy-credit-dialog.tsx";
import { creditsQueries } from "./credits.queries.ts";
import { toDrawView } from "./credits.view-model.ts";
import type { OwnCreditsCardProps } from "./own-credits-card.tsx";

/** Says that calls are refused for want of credit, with the way to add some. Nothing while some is left. */
export function OutOfCreditBanner({ tenant, place, onOpenInvoice }: OwnCreditsCardProps) {
  const { data: credits } = useQuery(creditsQueries.credits(usePlatform().api, place));
  const [isBuying, setIsBuying] = useState(false);
  const view = credits === undefined ? undefined : toDrawView(credits, String);
  if (credits === undefined || view?.isEmpty !== true) {
    return null;
  }
  const maySell =
    credits.topUps !== null && findBillingRefusal(tenant, t`buy credit`) === undefined;
  return (
    <section
      aria-label={t`Out of credit`}
      className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-card border border-danger bg-surface px-4 py-3"
    >
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-semibold text-danger">
          <Trans>The credit is used up</Trans>
        </p>
        <p className="text-sm">{view.says}</p>
      </div>
      {maySell && (
        <>
          <Button look="primary" onClick={() => setIsBuying(true)}>
            <Trans>Add credit…</Trans>
          </Button>
          <BuyCreditDialog
            place={place}
            credits={credits}
            isOpen={isBuying}
            onClose={() => setIsBuying(false)}
            onBought={onOpenInvoice}
          />
        </>
      )}
    </section>
  );
}
