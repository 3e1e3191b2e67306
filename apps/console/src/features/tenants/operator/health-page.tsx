import { HealthTab } from "../health/health-tab.tsx";
import { OperatorPage } from "./operator-page.tsx";

/** `/operator/health` */
export function HealthPage() {
  return (
    <OperatorPage
      title="Health"
      purpose="Whether every part of this installation works, and where it answers."
    >
      <HealthTab />
    </OperatorPage>
  );
}
