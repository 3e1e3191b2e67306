import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import type { BillingPlace } from "#platform/billing-queries.ts";
import type { CreditGrant } from "../../credits/credits.queries.ts";
import { CreditsCard } from "../../credits/credits-card.tsx";
import { GrantDialog } from "./grant-dialog.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";

/** The credits of one tenant, with what the operator may do: grant, and take back what is left of a grant. */
export function CreditsOfTenant({ place, name }: { place: BillingPlace; name: string }) {
  const [isGranting, setIsGranting] = useState(false);
  const [revoked, setRevoked] = useState<CreditGrant>();
  return (
    <>
      <CreditsCard
        place={place}
        isAlwaysShown
        actions={() => (
          <Button className="mt-3 mr-3" onClick={() => setIsGranting(true)}>
            <Trans>Grant credit…</Trans>
          </Button>
        )}
        grantAction={(grant) =>
          !grant.isBought && (
            <Button
              look="quiet"
              size="small"
              className="-ml-2.5"
              aria-label={t`Take back ${grant.reason}`}
              onClick={() => setRevoked(grant)}
            >
              <Trans>Take back…</Trans>
            </Button>
          )
        }
      />
      <GrantDialog
        place={place}
        name={name}
        isOpen={isGranting}
        onClose={() => setIsGranting(false)}
      />
      <RevokeDialog place={place} grant={revoked} onClose={() => setRevoked(undefined)} />
    </>
  );
}
