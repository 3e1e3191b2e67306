import { t } from "@lingui/core/macro";
import { HealthTab } from "../health/health-tab.tsx";
import { OperatorPage } from "./operator-page.tsx";

/** `/operator/health` */
export function HealthPage() {
  return (
    <OperatorPage
      title={t`Health`}
      purpose={t`Whether every part of this installation works, and where it answers.`}
    >
      <HealthTab />
    </OperatorPage>
  );
}
