import { t } from "@lingui/core/macro";
import { OperatorPage } from "./operator-page.tsx";
import type { OperatorProps } from "./operator-props.ts";
import { OutboxTab } from "./outbox-tab.tsx";

/** `/operator/outbox` */
export function OutboxPage(props: OperatorProps) {
  return (
    <OperatorPage
      title={t`Outbox`}
      purpose={t`The e-mails of this installation and how they were received.`}
    >
      <OutboxTab {...props} />
    </OperatorPage>
  );
}
