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
        {countKeys(failed.length)} {failed.length === 1 ? "was" : "were"} not {word}.
        {total > failed.length &&
          ` ${String(total - failed.length)} of ${String(total)} ${total - failed.length === 1 ? "was" : "were"}.`}
      </p>
      <ul className="mt-1 max-h-40 list-disc overflow-y-auto pl-5">
        {groupFailures(failed).map(({ reason, names, namesOmitted }) => (
          <li key={reason} className="[overflow-wrap:anywhere]">
            <span className="font-medium">{names.join(", ")}</span>
            {namesOmitted > 0 && ` and ${String(namesOmitted)} more`}: {reason}
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          size="small"
          progress={isRunning ? "Trying again…" : undefined}
          onClick={() =>
            onRetry(
              failed.map(({ key }) => key),
              change,
            )
          }
        >
          Try these again
        </Button>
        <Button size="small" look="quiet" onClick={onClose}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}
