import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Menu, MenuItem } from "@turnpike/ui/menu";
import { Skeleton } from "@turnpike/ui/skeleton";
import ChevronDown from "lucide-react/icons/chevron-down";
import FlaskConical from "lucide-react/icons/flask-conical";
import { FailureNotice } from "#components/failure-notice.tsx";
import { askAgainIn } from "#platform/ask-again-in.ts";
import {
  type BillingEvent,
  type BillingPlace,
  clockQuery,
  refreshBilling,
  subscriptionQuery,
} from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { formatDate, formatMinute } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { findBillingRefusal } from "./billing-refusal.view-model.ts";
import { toSandboxSteps } from "./sandbox-steps.view-model.ts";

/** The sandbox's time goes on while one looks at it; asked for again in so many milliseconds. */
const CLOCK_REFRESH_MS = 30_000;

/** The time in the sandbox of a tenant, and the way to let it pass. */
export function SandboxClock({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const place: BillingPlace = { tenantId: tenant.tenantId, environment: "test" };
  const clock = useQuery({
    ...clockQuery(api, place),
    refetchInterval: askAgainIn(CLOCK_REFRESH_MS),
  });
  const subscription = useQuery(subscriptionQuery(api, place));
  const advance = useAdvance(place);
  const refusal = findBillingRefusal(tenant, t`let time pass`);
  return (
    <section
      aria-label={t`Sandbox`}
      className="mb-4 rounded-card border border-warning/50 border-dashed bg-surface px-4 py-3 sm:px-5"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 items-start gap-3">
          <FlaskConical aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warning" />
          <div className="min-w-0">
            <p className="font-medium tabular-nums">
              {clock.data !== undefined ? (
                t`Sandbox time: ${formatMinute(clock.data.now)}`
              ) : clock.isError ? (
                t`Sandbox`
              ) : (
                <Skeleton className="h-5 w-64 max-w-full" />
              )}
            </p>
            <p className="max-w-[72ch] text-ink-muted text-xs">
              <Trans>
                Plans and invoices as they would be, for calls with test keys. Nothing here is owed,
                and limits stay those of the live plan. {refusal}
              </Trans>
            </p>
          </div>
        </div>
        {refusal === undefined && clock.isPending && (
          // Without it, what is below would move on phones when the time is known.
          <Button disabled>
            <LetTimePass />
          </Button>
        )}
        {refusal === undefined && clock.data !== undefined && (
          <Menu
            trigger={
              <Button progress={advance.isPending ? t`Time passes…` : undefined}>
                <LetTimePass />
              </Button>
            }
          >
            {toSandboxSteps(clock.data.now, subscription.data).map(({ key, label, to }) => (
              <MenuItem key={key} onSelect={() => advance.mutate(to)}>
                {label}
              </MenuItem>
            ))}
          </Menu>
        )}
      </div>
      {clock.isError && clock.data === undefined && (
        <div className="mt-3">
          <FailureNotice
            what={t`The time in the sandbox could not be loaded.`}
            cause={clock.error}
            onRetry={() => void clock.refetch()}
          />
        </div>
      )}
      {advance.isError && (
        <div className="mt-3">
          <FailureNotice what={t`Time did not pass.`} cause={advance.error} />
        </div>
      )}
      <div role="status">
        {advance.data !== undefined && <OnTheWay events={advance.data.events} />}
      </div>
    </section>
  );
}

function LetTimePass() {
  return (
    <>
      <Trans>Let time pass</Trans>
      <ChevronDown aria-hidden="true" className="size-4" />
    </>
  );
}

function useAdvance(place: BillingPlace) {
  const { api } = usePlatform();
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["billing", "advance"],
    mutationFn: (to: string) => api.billing.advanceClock({ tenantId: place.tenantId, to }),
    onSuccess: async (clock) => {
      client.setQueryData(clockQuery(api, place).queryKey, clock);
      await refreshBilling(client, place);
    },
  });
}

/** What happened while time passed, oldest first. */
function OnTheWay({ events }: { events: readonly BillingEvent[] }) {
  if (events.length === 0) {
    return (
      <p className="mt-3 text-ink-muted">
        <Trans>Nothing happened on the way.</Trans>
      </p>
    );
  }
  return (
    <div className="mt-3 border-line border-t pt-3">
      <h2 className="font-medium">
        <Trans>On the way</Trans>
      </h2>
      <ol className="mt-1 space-y-1 tabular-nums">
        {events.map(({ sequence, at, text }) => (
          <li key={sequence} className="flex flex-wrap gap-x-3">
            <time dateTime={at} className="w-24 shrink-0 text-ink-muted">
              {formatDate(at)}
            </time>
            <span className="min-w-0">{text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
