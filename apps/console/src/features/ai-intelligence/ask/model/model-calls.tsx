import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Spinner } from "@turnpike/ui/spinner";
import type { ModelCall } from "./model-answer.view-model.ts";

/** What the model looked up: each query, and its figures as the product has them. */
export function ModelCalls({ calls }: { calls: readonly ModelCall[] }) {
  return (
    <ol aria-label={t`What was looked up`} className="divide-y divide-line">
      {calls.map((call) => (
        <li key={call.callId} className="py-2">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium text-sm">{call.title}</span>
            {call.result === undefined && (
              <span className="inline-flex items-center gap-1.5 text-ink-muted text-xs">
                <Spinner className="size-3.5" /> <Trans>Looking it up…</Trans>
              </span>
            )}
            {call.result?.isOk === false && (
              <Badge tone="danger">
                <Trans>Failed</Trans>
              </Badge>
            )}
            {call.query.map(({ label, value }) => (
              <span
                key={label}
                className="max-w-full truncate rounded-full border border-line px-2 text-ink-muted text-xs leading-5"
                title={`${label}: ${value}`}
              >
                {label}: {value}
              </span>
            ))}
          </div>
          <CallResult call={call} />
        </li>
      ))}
    </ol>
  );
}

function CallResult({ call: { result } }: { call: ModelCall }) {
  if (result === undefined) {
    return null;
  }
  if (!result.isOk) {
    return <p className="mt-1 text-danger text-sm [overflow-wrap:anywhere]">{result.failure}</p>;
  }
  if (result.figures.length === 0) {
    return null;
  }
  return (
    <>
      <dl className="mt-1.5 grid gap-x-8 text-sm sm:grid-cols-2">
        {result.figures.map(({ label, value }) => (
          <div key={label} className="flex items-baseline justify-between gap-3 py-0.5">
            <dt className="min-w-0 text-ink-muted [overflow-wrap:anywhere]">{label}</dt>
            <dd className="shrink-0 tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {result.more > 0 && (
        <p className="mt-1 text-ink-muted text-xs">
          <Trans>{result.more} more figures</Trans>
        </p>
      )}
    </>
  );
}
