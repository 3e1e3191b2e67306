import { OperatorPage } from "./operator-page.tsx";
import type { OperatorProps } from "./operator-props.ts";
import { OutboxTab } from "./outbox-tab.tsx";

/** `/operator/outbox` */
export function OutboxPage(props: OperatorProps) {
  return (
    <OperatorPage
      title="Outbox"
      purpose="The e-mails of this installation and how they were received."
    >
      <OutboxTab {...props} />
    </OperatorPage>
  );
}
