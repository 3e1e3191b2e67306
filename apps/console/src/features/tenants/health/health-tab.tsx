import { AddressesCard } from "./addresses-card.tsx";
import { ReadinessCard } from "./readiness-card.tsx";

/** How the installation is, where it answers, and which version it is. */
export function HealthTab() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <ReadinessCard />
      <AddressesCard />
    </div>
  );
}
