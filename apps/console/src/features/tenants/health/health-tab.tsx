import { AddressesCard } from "./addresses-card.tsx";
import { ReadinessCard } from "./readiness-card.tsx";

/** The health, the addresses and the version of the installation. */
export function HealthTab() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <ReadinessCard />
      <AddressesCard />
    </div>
  );
}
