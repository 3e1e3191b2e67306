import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import WebhookIcon from "lucide-react/icons/webhook";
import { useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { nameRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { webhooksQuery } from "#platform/shared-queries.ts";
import { mayDo } from "../standing.view-model.ts";
import type { TabProps } from "../tab-props.ts";
import { useStanding } from "../use-standing.ts";
import { DeliveriesCard } from "./deliveries-card.tsx";
import { useWebhookActions } from "./use-webhook-actions.ts";
import { toEventsText, toWebhookAdvice, toWebhookState } from "./webhook.view-model.ts";
import { WebhookDialogs, type WebhookTask } from "./webhook-dialogs.tsx";
import { WebhookMenu } from "./webhook-menu.tsx";
import type { Webhook } from "./webhooks.queries.ts";

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: "url",
    header: t`Address`,
    phone: "title",
    cell: ({ url, description }) => (
      <div className="min-w-0">
        <p className="font-medium font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{url}</p>
        {description !== "" && (
          <p className="font-normal text-ink-muted text-xs [overflow-wrap:anywhere]">
            {description}
          </p>
        )}
      </div>
    ),
  },
  {
    id: "events",
    header: t`Events`,
    cell: ({ eventTypes }) => (
      <span className="[overflow-wrap:anywhere]">{toEventsText(eventTypes)}</span>
    ),
  },
  {
    id: "state",
    header: t`State`,
    cell: (webhook) => {
      const { tone, label } = toWebhookState(webhook);
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  {
    id: "created",
    header: t`Added`,
    className: "md:w-36",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} isFocusable={false} />,
  },
];

export type WebhooksTabProps = TabProps & { tenant: OwnTenant };

/** The endpoints of the current tenant, for people who may see them. */
export function WebhooksTab(props: WebhooksTabProps) {
  const { tenant } = props;
  const standing = useStanding(tenant);
  if (!mayDo(standing, "webhooks:read")) {
    return (
      <EmptyState icon={<WebhookIcon />} title={t`Webhooks are for owners and admins`}>
        <Trans>
          Your role in {tenant.name} is {nameRole(tenant)}. Webhooks send events to your programs:
          ask an owner or an admin if you need one.
        </Trans>
      </EmptyState>
    );
  }
  return <Webhooks {...props} mayWrite={mayDo(standing, "webhooks:write")} />;
}

function Webhooks(props: WebhooksTabProps & { mayWrite: boolean }) {
  const { tenant, search, onSearchChange, mayWrite } = props;
  const { api } = usePlatform();
  const { tenantId } = tenant;
  const [task, setTask] = useState<WebhookTask>();
  const actions = useWebhookActions(tenantId);
  const webhooks = useQuery(webhooksQuery(api, tenantId));
  const open = webhooks.data?.find(({ webhookId }) => webhookId === search.webhook);
  const add = () => setTask({ kind: "save", webhook: undefined });
  const menuOf = (webhook: Webhook) => (
    <WebhookMenu
      webhook={webhook}
      onTask={setTask}
      onTest={() => actions.test.mutate(webhook)}
      onSwitch={() => actions.change.mutate(webhook)}
    />
  );
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-ink-muted">
          <Trans>
            A webhook sends your program a signed message for each event in this tenant. Failed
            deliveries are retried for three days.{" "}
            <DocsLink page="webhooks">How to verify messages</DocsLink>
          </Trans>
        </p>
        {mayWrite && (
          <Button look="primary" onClick={add}>
            <Trans>Add webhook</Trans>
          </Button>
        )}
      </div>
      {webhooks.isError && webhooks.data === undefined ? (
        <FailureNotice
          what={t`The webhooks could not be loaded.`}
          cause={webhooks.error}
          onRetry={() => void webhooks.refetch()}
        />
      ) : (
        <DataTable
          label={t`Webhooks`}
          columns={COLUMNS}
          rows={webhooks.data}
          getRowId={({ webhookId }) => webhookId}
          getRowName={({ url }) => url}
          openRowId={search.webhook}
          onRowOpen={({ webhookId }) => onSearchChange({ tab: "webhooks", webhook: webhookId })}
          {...(mayWrite && { getRowActions: menuOf })}
          empty={
            <EmptyState icon={<WebhookIcon />} title={t`No webhooks yet`}>
              <Trans>
                Add your program’s address, send it a test, and see its response in the log.{" "}
                <DocsLink page="webhooks">How webhooks work</DocsLink>
              </Trans>
            </EmptyState>
          }
        />
      )}
      {open !== undefined && (
        <>
          {toWebhookAdvice(open) !== undefined && (
            <p className="rounded-control bg-danger-soft px-3 py-2.5">{toWebhookAdvice(open)}</p>
          )}
          <DeliveriesCard
            key={open.webhookId}
            tenantId={tenantId}
            webhook={open}
            mayWrite={mayWrite}
            search={search}
            onSearchChange={onSearchChange}
          />
        </>
      )}
      <WebhookDialogs tenantId={tenantId} task={task} onTask={setTask} />
    </div>
  );
}
