import { plural, t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import type { Key } from "../api-keys.queries.ts";
import { BULK_DONE, type BulkChange, countKeys, groupFailures } from "./bulk-change.view-model.ts";
import type { BulkReport } from "./use-bulk-change.ts";

export type BulkReportNoticeProps = {
  report: BulkReport;
  isRunning: boolean;
  onRetry: (keys: readonly Key[], change: BulkChange) => void;
  onClose: () => void;
};

/** The failures of a bulk change, with their reasons. */
export function BulkReportNotice({ report, isRunning, onRetry, onClose }: BulkReportNoticeProps) {
  const { change, total, failed } = report;
  const word = BULK_DONE[change.action];
  return (
    <div
      role="alert"
      className="mb-3 rounded-control border border-danger/30 bg-danger-soft px-3 py-2.5"
    >
      <p className="font-semibold text-danger">
        <Trans>
          {countKeys(failed.length)} <Plural value={failed.length} one="was" other="were" /> not{" "}
          {word}.
          {total > failed.length &&
            t` ${String(total - failed.length)} of ${String(total)} ${plural(total - failed.length, { one: "was", other: "were" })}.`}
        </Trans>
      </p>
      <ul className="mt-1 max-h-40 list-disc overflow-y-auto pl-5">
        {groupFailures(failed).map(({ reason, names, namesOmitted }) => (
          <li key={reason} className="[overflow-wrap:anywhere]">
            <span className="font-medium">{names.join(", ")}</span>
            {namesOmitted > 0 && t` and ${String(namesOmitted)} more`}: {reason}
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          size="small"
          progress={isRunning ? t`Trying again…` : undefined}
          onClick={() =>
            onRetry(
              failed.map(({ key }) => key),
              change,
            )
          }
        >
          <Trans>Try these again</Trans>
        </Button>
        <Button size="small" look="quiet" onClick={onClose}>
          <Trans>Dismiss</Trans>
        </Button>
      </div>
    </div>
  );
}
