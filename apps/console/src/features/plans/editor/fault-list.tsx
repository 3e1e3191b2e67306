import { plural, t } from "@lingui/core/macro";
import type { PlanDraft } from "./plan-draft.view-model.ts";
import { describePlace, type PlanFault } from "./plan-faults.view-model.ts";

export type FaultListProps = {
  faults: readonly PlanFault[];
  draft: PlanDraft;
  /** Shows the field of a mistake. */
  onGoTo: (pointer: string) => void;
};

/** Everything that keeps a draft from being published. Each mistake leads to its field. */
export function FaultList({ faults, draft, onGoTo }: FaultListProps) {
  return (
    <div role="status" className="empty:hidden">
      {faults.length > 0 && (
        <section
          aria-label={t`To fix before publishing`}
          className="rounded-card border border-danger/30 bg-danger-soft px-4 py-3"
        >
          <p className="font-medium text-danger">
            {plural(faults.length, {
              one: "One thing to fix before it can be published",
              other: `${String(faults.length)} things to fix before it can be published`,
            })}
          </p>
          <ul className="mt-1 space-y-0.5">
            {faults.map(({ pointer, message }) => (
              <li key={`${pointer} ${message}`} className="[overflow-wrap:anywhere]">
                <button
                  type="button"
                  onClick={() => onGoTo(pointer)}
                  className="cursor-pointer text-left font-medium underline underline-offset-4 touch:min-h-11"
                >
                  {describePlace(pointer, draft)}
                </button>
                : {message}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
