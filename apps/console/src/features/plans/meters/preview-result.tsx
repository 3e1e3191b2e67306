import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { RelativeTime } from "@turnpike/ui/relative-time";
import type { ReactNode } from "react";
import { formatCount } from "#platform/format.ts";
import { nameUnit, nameUnits } from "#platform/unit-words.ts";
import type { MeterPreview } from "./meters.queries.ts";

export type PreviewResultProps = {
  preview: MeterPreview;
  unit: string;
  /** True when the draft has changed since. */
  isStale: boolean;
};

function countEvents(count: number): string {
  return `${formatCount(count)} ${plural(count, { one: "event", other: "events" })}`;
}

/** An exact decimal with separators, which may be negative. */
function toNumberText(decimal: string | null): string {
  if (decimal === null) {
    return "nothing";
  }
  return decimal.startsWith("-") ? `-${formatCount(decimal.slice(1))}` : formatCount(decimal);
}

/** What a meter would count in recent events. */
export function PreviewResult({ preview, unit, isStale }: PreviewResultProps) {
  if (preview.tried === 0) {
    return (
      <p className="text-ink-muted">
        <Trans>
          No event of this type was recorded in the last 35 days. You can still publish it: events
          are accepted once a meter counts their type.
        </Trans>
      </p>
    );
  }
  return (
    <div className="space-y-3">
      {isStale && (
        <p className="text-warning text-xs">
          <Trans>The meter has changed since: try it again.</Trans>
        </p>
      )}
      <dl className="grid grid-cols-3 gap-3">
        <Figure label={t`Tried`} value={countEvents(preview.tried)}>
          {preview.since !== null && (
            <>
              <Trans>since</Trans> <RelativeTime at={preview.since} />
            </>
          )}
        </Figure>
        <Figure label={t`Would count to`} value={toNumberText(preview.value)}>
          {preview.value !== null &&
            unit !== "" &&
            (preview.value === "1" ? nameUnit(unit) : nameUnits(unit))}
        </Figure>
        <Figure label={t`Could not be counted`} value={countEvents(preview.uncounted)} />
      </dl>
      {preview.reason !== null && (
        <p className="text-danger [overflow-wrap:anywhere]">{preview.reason}</p>
      )}
      {listFound(preview).map(({ name, values }) => (
        <p key={name} className="text-ink-muted text-xs [overflow-wrap:anywhere]">
          <span className="font-medium text-ink">{name}</span>:{" "}
          {values
            .map(
              ({ value, events }) => `${value === "" ? "unknown" : value} (${formatCount(events)})`,
            )
            .join(", ")}
        </p>
      ))}
    </div>
  );
}

function listFound({ dimensions }: MeterPreview) {
  return dimensions.filter(({ values }) => values.length > 0);
}

type FigureProps = { label: string; value: string; children?: ReactNode };

function Figure({ label, value, children }: FigureProps) {
  return (
    <div className="min-w-0">
      <dt className="text-ink-muted text-xs">{label}</dt>
      <dd className="font-semibold tabular-nums [overflow-wrap:anywhere]">
        <span>{value}</span>
        <span className="block font-normal text-ink-muted text-xs">{children}</span>
      </dd>
    </div>
  );
}
