import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatInstant } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Mail, operatorQueries } from "./operator.queries.ts";

/** The newest mails that the instance wrote. */
export function OutboxCard() {
  const { api } = usePlatform();
  const outbox = useQuery(operatorQueries.outbox(api));
  return (
    <Card
      headingLevel={3}
      title="Mail outbox"
      description="What this instance has written to people, the newest first."
      aside={
        <Button
          progress={outbox.isFetching && !outbox.isPending ? "Looking…" : undefined}
          onClick={() => void outbox.refetch()}
        >
          Look again
        </Button>
      }
    >
      {outbox.isError ? (
        <FailureNotice
          what="The outbox could not be loaded."
          cause={outbox.error}
          onRetry={() => void outbox.refetch()}
        />
      ) : outbox.data === undefined ? (
        <div role="status" aria-label="Loading mails" className="space-y-3">
          <Skeleton className="h-4 w-64" />
          <Skeleton className="h-4 w-52" />
        </div>
      ) : outbox.data.items.length === 0 ? (
        <p className="rounded-control border border-line border-dashed px-3 py-4 text-ink-muted">
          No mails yet. Invitations, alerts and invoices will be listed here as they are sent.
        </p>
      ) : (
        <ul className="divide-y divide-line border-line border-y">
          {outbox.data.items.map((mail) => (
            <MailRow key={mail.mailId} mail={mail} />
          ))}
        </ul>
      )}
    </Card>
  );
}

const STATE_TONES = { queued: "info", sent: "ok", failed: "danger" } as const;
const STATE_LABELS = { queued: "Queued", sent: "Sent", failed: "Failed" } as const;

function MailRow({ mail }: { mail: Mail }) {
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <p className="font-medium [overflow-wrap:anywhere]">{mail.subject}</p>
          <p className="text-ink-muted [overflow-wrap:anywhere]">to {mail.to}</p>
        </div>
        <div className="flex items-center gap-3">
          <time
            dateTime={mail.createdAt}
            title={`${mail.createdAt} (UTC)`}
            className="text-ink-muted text-xs tabular-nums"
          >
            {formatInstant(mail.createdAt)}
          </time>
          <Badge tone={STATE_TONES[mail.state]}>{STATE_LABELS[mail.state]}</Badge>
        </div>
      </div>
      {mail.lastError !== null && (
        <p className="mt-1 text-danger text-xs [overflow-wrap:anywhere]">{mail.lastError}</p>
      )}
      {mail.text !== null && (
        <details className="mt-1">
          <summary className="w-fit cursor-pointer text-ink-muted text-xs">Show the mail</summary>
          <pre className="mt-2 rounded-control border border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
            {mail.text}
          </pre>
        </details>
      )}
    </li>
  );
}
