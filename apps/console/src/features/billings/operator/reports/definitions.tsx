import { Trans } from "@lingui/react/macro";
import { DEFINITIONS, FIGURE_LABELS } from "./revenue.view-model.ts";

/** What every figure of the revenue report means. */
export function Definitions() {
  return (
    <details className="rounded-card border border-line bg-surface px-4 py-3 sm:px-5">
      <summary className="cursor-pointer font-medium touch:min-h-11">
        <Trans>How these figures are computed</Trans>
      </summary>
      <dl className="mt-3 grid gap-3 sm:grid-cols-2">
        {(Object.keys(DEFINITIONS) as (keyof typeof DEFINITIONS)[]).map((key) => (
          <div key={key}>
            <dt className="font-medium">{FIGURE_LABELS[key]}</dt>
            <dd className="max-w-[68ch] text-ink-muted">{DEFINITIONS[key]}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 max-w-[68ch] text-ink-muted">
        <Trans>
          Months are those of UTC. What a subscription brings is recorded with each change of it, so
          a month that is over does not change.
        </Trans>
      </p>
    </details>
  );
}
