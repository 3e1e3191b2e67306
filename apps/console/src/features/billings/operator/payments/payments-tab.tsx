import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useOnceKnown } from "#components/use-once-known.ts";
import type { Environment } from "#platform/current-environment.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { AllInvoicesProps } from "../all-invoices-props.ts";
import { FailedEvents } from "./failed-events.tsx";
import { failedEventsQuery } from "./payments.queries.ts";
import { ReceivedPayments } from "./received-payments.tsx";
import { StatementLines } from "./statement-lines.tsx";

/** What has come from the bank and waits to be matched, and all money that was received. */
export function PaymentsTab(props: AllInvoicesProps & { environment: Environment }) {
  const { api } = usePlatform();
  const { environment } = props;
  const events = useQuery(failedEventsQuery(api, environment));
  // Mostly it is nothing, and what comes late above all else moves it. Asked again, it must not close a dialog below.
  const isShown = useOnceKnown([events]);
  if (!isShown) {
    return (
      <div role="status" aria-label={t`Loading`}>
        <Skeleton className="h-64 w-full rounded-card" />
      </div>
    );
  }
  return (
    <div className="space-y-8">
      <FailedEvents environment={environment} events={events} />
      {/* A bank account knows no sandbox. */}
      {environment === "live" && <StatementLines {...props} />}
      <ReceivedPayments {...props} />
    </div>
  );
}
