import { joinClasses } from "@turnpike/ui/join-classes";
import { type Sums, toSumRows } from "./invoice-sums.view-model.ts";

export type InvoiceSumsProps = {
  sums: Sums;
  /** What the last row is called. Left out: "Due". */
  dueLabel?: string;
};

/** What the lines come to: taxes, total, credit and what is left to pay. */
export function InvoiceSums({ sums, dueLabel }: InvoiceSumsProps) {
  return (
    <dl className="ml-auto w-full max-w-xs space-y-1 tabular-nums">
      {toSumRows(sums, dueLabel).map(({ key, label, amount, isStrong }) => (
        <div
          key={key}
          className={joinClasses(
            "flex justify-between gap-4",
            isStrong && "border-line border-t pt-1.5 font-semibold text-base",
          )}
        >
          <dt className={joinClasses(!isStrong && "text-ink-muted")}>{label}</dt>
          <dd className="text-right">{amount}</dd>
        </div>
      ))}
    </dl>
  );
}
