import { useState } from "react";
import { AddressesCard } from "./addresses-card.tsx";
import type { TenantId } from "./operator.queries.ts";
import { OutboxCard } from "./outbox-card.tsx";
import { ReadinessCard } from "./readiness-card.tsx";
import { TenantsCard } from "./tenants-card.tsx";

/** What an operator sees of the whole installation. */
export function OperatorSection() {
  const [selectedId, setSelectedId] = useState<TenantId>();
  return (
    <section aria-labelledby="operator-title" className="mt-8">
      <h2 id="operator-title" className="mb-3 font-semibold text-lg">
        Operator
      </h2>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <TenantsCard selectedId={selectedId} onSelect={({ tenantId }) => setSelectedId(tenantId)} />
        <div className="grid gap-4">
          <ReadinessCard />
          <AddressesCard />
        </div>
        <OutboxCard />
      </div>
    </section>
  );
}
