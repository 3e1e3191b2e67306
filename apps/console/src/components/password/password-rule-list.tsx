import { t } from "@lingui/core/macro";
import Check from "lucide-react/icons/check";
import type { PasswordRule } from "./password-rules.view-model.ts";

/** The rules of a new password, ticked off while it is typed. */
export function PasswordRuleList({ rules }: { rules: readonly PasswordRule[] }) {
  return (
    <ul aria-label={t`Password requirements`} className="-mt-2 space-y-1 text-xs">
      {rules.map(({ text, isMet }) => (
        <li
          key={text}
          className={`flex items-center gap-2 ${isMet ? "text-ok" : "text-ink-muted"}`}
        >
          <span className="grid size-4 place-items-center" aria-hidden="true">
            {isMet ? (
              <Check className="size-3.5" strokeWidth={2.5} />
            ) : (
              <span className="size-1.5 rounded-full border border-current" />
            )}
          </span>
          {text}
          <span className="sr-only">{isMet ? t` (met)` : t` (not met yet)`}</span>
        </li>
      ))}
    </ul>
  );
}
