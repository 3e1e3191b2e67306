import { t } from "@lingui/core/macro";
import { joinClasses } from "@turnpike/ui/join-classes";
import Minus from "lucide-react/icons/minus";
import Pencil from "lucide-react/icons/pencil";
import Plus from "lucide-react/icons/plus";

/** One difference between two versions of a plan, as the domain and the API tell it. */
export type ShownChange = { path: string; kind: "added" | "removed" | "changed"; text: string };

const KINDS = {
  added: { Icon: Plus, label: t`Added`, className: "text-ok" },
  removed: { Icon: Minus, label: t`Removed`, className: "text-danger" },
  changed: { Icon: Pencil, label: t`Changed`, className: "text-ink-muted" },
} as const;

export type ChangeListProps = {
  /** For screen readers: "Changes since version 3". */
  label: string;
  changes: readonly ShownChange[];
  /** Shown when nothing changed. */
  empty: string;
};

/** What differs between two versions, one sentence each. */
export function ChangeList({ label, changes, empty }: ChangeListProps) {
  if (changes.length === 0) {
    return <p className="text-ink-muted">{empty}</p>;
  }
  return (
    <ul aria-label={label} className="space-y-1 tabular-nums">
      {changes.map(({ path, kind, text }) => {
        const { Icon, label: kindLabel, className } = KINDS[kind];
        return (
          <li key={`${path} ${text}`} className="flex gap-2">
            <Icon
              aria-label={kindLabel}
              className={joinClasses("mt-1 size-3.5 shrink-0", className)}
            />
            <span className="min-w-0 [overflow-wrap:anywhere]">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}
