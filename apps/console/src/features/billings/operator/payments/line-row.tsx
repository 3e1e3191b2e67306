import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import type { StatementLine } from "./payments.queries.ts";
import { isIncoming } from "./payments.view-model.ts";

export type LineRowProps = {
  line: StatementLine;
  /** What may come of it, or came of it. */
  note?: ReactNode;
  /** The button at the end. */
  action?: ReactNode;
};

/** A line of a bank statement in a list. */
export function LineRow({ line, note, action }: LineRowProps) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
        <p className="font-medium">
          {line.payer === "" ? t`Unnamed payer` : line.payer}{" "}
          <span className="font-normal text-ink-muted">{formatDate(line.bookedOn)}</span>
        </p>
        <p className="text-ink-muted text-sm">{line.purpose}</p>
        {note !== undefined && <p className="mt-1 text-sm">{note}</p>}
      </div>
      <div className="flex items-center gap-3 max-sm:w-full max-sm:justify-between">
        <p
          className={isIncoming(line) ? "font-medium tabular-nums" : "text-ink-muted tabular-nums"}
        >
          {formatMoney(line.amount, line.currency)}
        </p>
        {action}
      </div>
    </li>
  );
}
