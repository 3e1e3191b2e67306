import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { CodeBlock } from "@turnpike/ui/code-block";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Sheet } from "@turnpike/ui/sheet";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import type { TenantId } from "../tenants.queries.ts";
import { toAttemptText, toDeliveryState, toReadableBody } from "./webhook.view-model.ts";
import { type Webhook, webhooksQueries } from "./webhooks.queries.ts";

export type DeliverySheetProps = {
  tenantId: TenantId;
  webhook: Webhook;
  /** Undefined: closed. */
  messageId: string | undefined;
  onClose: () => void;
  /** Left out for people who may only read. */
  onResend?: (messageId: string) => void;
};

/** One delivery next to the list: what was sent, and the result of each attempt. */
export function DeliverySheet(props: DeliverySheetProps) {
  const { messageId, onClose } = props;
  return (
    <Sheet
      isOpen={messageId !== undefined}
      onClose={onClose}
      title={t`Delivery`}
      {...(messageId !== undefined && {
        description: (
          <code className="font-mono text-xs [overflow-wrap:anywhere]">{messageId}</code>
        ),
      })}
    >
      {messageId !== undefined && <Details {...props} messageId={messageId} />}
    </Sheet>
  );
}

function Details(props: DeliverySheetProps & { messageId: string }) {
  const { api } = usePlatform();
  const { tenantId, webhook, messageId, onResend } = props;
  const delivery = useQuery(
    webhooksQueries.delivery(api, tenantId, { webhookId: webhook.webhookId, messageId }),
  );
  if (delivery.data === undefined) {
    return delivery.isError ? (
      <FailureNotice
        what={t`The delivery could not be loaded.`}
        cause={delivery.error}
        onRetry={() => void delivery.refetch()}
      />
    ) : (
      <Skeleton className="h-40" />
    );
  }
  const { type, nextAttemptAt, payload, attemptLog } = delivery.data;
  const { tone, label } = toDeliveryState(delivery.data);
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <code className="font-mono text-[0.8125rem]">{type}</code>
          <Badge tone={tone}>{label}</Badge>
        </div>
        {onResend !== undefined && (
          <Button disabled={webhook.state !== "enabled"} onClick={() => onResend(messageId)}>
            <Trans>Send again</Trans>
          </Button>
        )}
      </div>
      {nextAttemptAt !== null && (
        <p className="text-ink-muted">
          <Trans>Next attempt</Trans> <RelativeTime at={nextAttemptAt} isToCome />
        </p>
      )}
      <section aria-labelledby="attempts" className="space-y-2">
        <h3 id="attempts" className="font-semibold">
          <Trans>Attempts</Trans>
        </h3>
        {attemptLog.length === 0 && (
          <p className="text-ink-muted">
            <Trans>None yet.</Trans>
          </p>
        )}
        <ol className="divide-y divide-line border-line border-y">
          {attemptLog.map((attempt) => (
            <li key={attempt.attempt} className="space-y-1 py-2">
              <div className="flex flex-wrap justify-between gap-x-3">
                <span>{toAttemptText(attempt)}</span>
                <span className="text-ink-muted">
                  <RelativeTime at={attempt.startedAt} />
                </span>
              </div>
              {attempt.response !== "" && (
                <pre className="rounded-control bg-sunken p-2 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
                  {attempt.response}
                </pre>
              )}
            </li>
          ))}
        </ol>
      </section>
      <section aria-labelledby="body" className="space-y-2">
        <h3 id="body" className="font-semibold">
          <Trans>Body</Trans>
        </h3>
        <CodeBlock code={toReadableBody(payload)} subject={t`body of the message`} />
      </section>
    </div>
  );
}
