import type { Environment } from "#platform/current-environment.ts";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { FailedEvents } from "./failed-events.tsx";
import { ReceivedPayments } from "./received-payments.tsx";
import { StatementLines } from "./statement-lines.tsx";

/** What has come from the bank and waits to be matched, and all money that was received. */
export function PaymentsTab(props: AllInvoicesProps & { environment: Environment }) {
  return (
    <div className="space-y-8">
      <FailedEvents environment={props.environment} />
      {/* A bank account knows no sandbox. */}
      {props.environment === "live" && <StatementLines {...props} />}
      <ReceivedPayments {...props} />
    </div>
  );
}
