import { useState } from "react";
import { PageFrame } from "#components/page-frame.tsx";
import { AddressesCard } from "#features/instance/addresses-card.tsx";
import { GettingStartedCard } from "#features/instance/getting-started-card.tsx";
import { ReadinessCard } from "#features/instance/readiness-card.tsx";
import type { Tenant } from "#features/operator/operator.queries.ts";
import { OperatorSection } from "#features/operator/operator-section.tsx";
import { ClaimCard } from "#features/setup/claim-card.tsx";

/** `/`: what this is, how it is, and the first steps with it. */
export function IndexPage() {
  const [tenant, setTenant] = useState<Tenant>();
  const [shownKey, setShownKey] = useState<string>();

  function select(next: Tenant | undefined): void {
    setTenant(next);
    // A key of another tenant must not stand in the commands.
    if (next?.tenantId !== tenant?.tenantId) {
      setShownKey(undefined);
    }
  }

  return (
    <PageFrame
      title="Turn any HTTP API into a self-serve, paid product"
      purpose="Customers get keys and plans; every call through the gateway is checked, counted once and billed from the same ledger."
    >
      <ClaimCard />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22.5rem]">
        <div className="grid gap-4 lg:order-last">
          <ReadinessCard />
          <AddressesCard />
        </div>
        <GettingStartedCard tenant={tenant?.slug} apiKey={shownKey} />
      </div>
      <OperatorSection selected={tenant} onSelect={select} onKeyShown={setShownKey} />
    </PageFrame>
  );
}
