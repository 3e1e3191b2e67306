import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { formatMoney } from "#platform/format-money.ts";
import { formatMinute } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { collectionQuery } from "./payments.queries.ts";
import { CAUSES, toAttemptBadge } from "./payments.view-model.ts";

/** How an invoice is collected: what was tried, and what comes. Nothing where nothing was and nothing comes. */
export function CollectionCard(of: { tenantId: string; invoiceId: string }) {
  const { api } = usePlatform();
  const { data } = useQuery(collectionQuery(api, of));
  if (data === undefined || (data.attempts.length === 0 && data.calendar === null)) {
    return null;
  }
  return (
    <Card title={t`Collection`} description={t`Bank reference ${data.reference}`}>
      {data.attempts.length > 0 && (
        <ul className="divide-y divide-line">
          {data.attempts.map((attempt) => {
            const { tone, label } = toAttemptBadge(attempt);
            return (
              <li
                key={attempt.attemptId}
                className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 first:pt-0"
              >
                <span className="min-w-0">
                  {formatMinute(attempt.createdAt)}{" "}
                  <span className="text-ink-muted">
                    {CAUSES[attempt.cause]}
                    {attempt.message !== null && `: ${inLanguage(attempt.message)}`}
                  </span>
                </span>
                <span className="flex items-center gap-3">
                  <Badge tone={tone}>{label}</Badge>
                  <span className="tabular-nums">
                    {formatMoney(attempt.amount, attempt.currency)}
                  </span>
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {data.calendar !== null && (
        <ul className="space-y-1 text-ink-muted text-sm">
          {data.calendar.texts.map((text) => (
            <li key={text}>{inLanguage(text)}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}
