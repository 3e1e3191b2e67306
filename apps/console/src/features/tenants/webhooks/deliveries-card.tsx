import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import Send from "lucide-react/icons/send";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { TabProps } from "../tab-props.ts";
import type { TenantId } from "../tenants.queries.ts";
import { DeliverySheet } from "./delivery-sheet.tsx";
import { useWebhookActions } from "./use-webhook-actions.ts";
import { toDeliveryState } from "./webhook.view-model.ts";
import { type Delivery, type Webhook, webhooksQueries } from "./webhooks.queries.ts";

const COLUMNS: readonly Column<Delivery>[] = [
  {
    id: "type",
    header: t`Event`,
    phone: "title",
    cell: ({ type }) => <code className="font-mono text-[0.8125rem]">{type}</code>,
  },
  {
    id: "state",
    header: t`State`,
    cell: (delivery) => {
      const { tone, label } = toDeliveryState(delivery);
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  {
    id: "status",
    header: t`Last answer`,
    cell: ({ lastStatus, attempts }) => (
      <span className="tabular-nums">{lastStatus ?? (attempts === 0 ? "–" : t`None`)}</span>
    ),
  },
  {
    id: "attempts",
    header: t`Attempts`,
    cell: ({ attempts }) => <span className="tabular-nums">{attempts}</span>,
  },
  {
    id: "created",
    header: t`Occurred`,
    className: "md:w-36",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} isFocusable={false} />,
  },
];

const DAY_MS = 24 * 60 * 60 * 1_000;

export type DeliveriesCardProps = TabProps & {
  tenantId: TenantId;
  webhook: Webhook;
  mayWrite: boolean;
};

/** The past and pending deliveries of one endpoint, newest first. */
export function DeliveriesCard(props: DeliveriesCardProps) {
  const { tenantId, webhook, mayWrite, search, onSearchChange } = props;
  const { api } = usePlatform();
  const { webhookId } = webhook;
  const { cursor } = search;
  const actions = useWebhookActions(tenantId);
  const deliveries = useQuery({
    ...webhooksQueries.deliveries(api, tenantId, { webhookId, cursor }),
    placeholderData: keepPreviousData,
  });
  const change = (to: { cursor: string | undefined; delivery?: string }) =>
    onSearchChange({
      tab: "webhooks",
      webhook: webhookId,
      ...(to.cursor === undefined ? {} : { cursor: to.cursor }),
      ...(to.delivery === undefined ? {} : { delivery: to.delivery }),
    });
  const trail = useCursorTrail({
    cursor,
    nextCursor: deliveries.data?.nextCursor,
    onCursorChange: (next) => change({ cursor: next }),
  });
  if (deliveries.isError && deliveries.data === undefined) {
    return (
      <FailureNotice
        what={t`The deliveries could not be loaded.`}
        cause={deliveries.error}
        onRetry={() => void deliveries.refetch()}
      />
    );
  }
  return (
    <section aria-labelledby="deliveries" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="deliveries" className="font-semibold">
          <Trans>Deliveries</Trans>
        </h2>
        {mayWrite && (
          <Button
            disabled={webhook.state !== "enabled"}
            progress={actions.replay.isPending ? t`Starting…` : undefined}
            onClick={() =>
              actions.replay.mutate({
                webhookId,
                since: new Date(Date.now() - DAY_MS).toISOString(),
              })
            }
          >
            <Trans>Replay the last day’s failures</Trans>
          </Button>
        )}
      </div>
      <DataTable
        label={t`Deliveries`}
        columns={COLUMNS}
        rows={deliveries.data?.items}
        getRowId={({ messageId }) => messageId}
        getRowName={({ type, messageId }) => `${type}, ${messageId}`}
        isStale={deliveries.isPlaceholderData}
        openRowId={search.delivery}
        onRowOpen={({ messageId }) => change({ cursor, delivery: messageId })}
        empty={
          <EmptyState icon={<Send />} title={t`Nothing sent yet`}>
            <Trans>
              Send a test from the menu above, or wait for an event. Deliveries are kept for 30
              days.
            </Trans>
          </EmptyState>
        }
        footer={
          <PageFooter
            trail={trail}
            count={deliveries.data?.items.length}
            noun={[t`delivery`, t`deliveries, newest first`]}
          />
        }
      />
      <DeliverySheet
        tenantId={tenantId}
        webhook={webhook}
        messageId={search.delivery}
        onClose={() => change({ cursor })}
        {...(mayWrite && {
          onResend: (messageId: string) => actions.resend.mutate({ webhookId, messageId }),
        })}
      />
    </section>
  );
}
