import { t } from "@lingui/core/macro";
import { InsightsTab } from "./insights-tab.tsx";
import { OperatorPage } from "./operator-page.tsx";
import type { OperatorProps } from "./operator-props.ts";

/** `/operator/insights` */
export function OperatorInsightsPage(props: OperatorProps) {
  return (
    <OperatorPage
      title={t`Insights`}
      purpose={t`What changed over all tenants together, and in each of them.`}
    >
      <InsightsTab {...props} />
    </OperatorPage>
  );
}
