import { t } from "@lingui/core/macro";
import { OperatorPage } from "./operator-page.tsx";
import type { OperatorProps } from "./operator-props.ts";
import { ServiceKeysTab } from "./service-keys-tab.tsx";

/** `/operator/service-keys` */
export function ServiceKeysPage(props: OperatorProps) {
  return (
    <OperatorPage
      title={t`Service keys`}
      purpose={t`Keys of your own programs, which use the API across all tenants.`}
    >
      <ServiceKeysTab {...props} />
    </OperatorPage>
  );
}
