import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { useState } from "react";
import type { ScimRequest } from "./scim.queries.ts";

/** Shown before the person asks for all that are kept. */
const FIRST = 5;

/** The latest changes of the directory, and what was refused. */
export function DirectoryActivity({ requests }: { requests: readonly ScimRequest[] }) {
  const [isWhole, setIsWhole] = useState(false);
  if (requests.length === 0) {
    return null;
  }
  const shown = isWhole ? requests : requests.slice(0, FIRST);
  return (
    <section aria-labelledby="directory-activity" className="space-y-2">
      <h3 id="directory-activity" className="font-medium text-sm">
        <Trans>Latest changes by the directory</Trans>
      </h3>
      <ul className="divide-y divide-line border-line border-y">
        {shown.map((request) => (
          <li key={request.requestId} className="space-y-1 py-2">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <code className="font-mono text-sm">{request.operation}</code>
              <span className="min-w-0 grow text-sm [overflow-wrap:anywhere]">
                {request.subject}
              </span>
              {request.status >= 400 && (
                <Badge tone="danger">
                  <Trans>Refused, {String(request.status)}</Trans>
                </Badge>
              )}
              <span className="text-ink-muted text-sm">
                <RelativeTime at={request.at} />
              </span>
            </div>
            {request.detail !== null && (
              <p className="text-ink-muted text-sm [overflow-wrap:anywhere]">{request.detail}</p>
            )}
          </li>
        ))}
      </ul>
      {requests.length > FIRST && (
        <Button size="small" look="quiet" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? t`Show fewer` : t`Show all ${String(requests.length)}`}
        </Button>
      )}
    </section>
  );
}
