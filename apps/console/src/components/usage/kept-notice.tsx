import { t } from "@lingui/core/macro";
import { formatInstant } from "#platform/format.ts";
import type { UsageReport } from "#platform/usage-query.ts";
import { toKnownPrevious } from "#platform/usage-series.ts";

/** Why there are no changes, where a report was compared and not all of the period before is kept. */
export function KeptNotice({ report }: { report: UsageReport | undefined }) {
  const { previous = null, keptFrom } = report ?? {};
  if (report === undefined || keptFrom === undefined || previous === null) {
    return null;
  }
  return toKnownPrevious(report) === null ? (
    <p className="mt-2 text-ink-faint text-xs">
      {t`No comparison: usage is kept from ${formatInstant(keptFrom)}, so the previous period is incomplete.`}
    </p>
  ) : null;
}
