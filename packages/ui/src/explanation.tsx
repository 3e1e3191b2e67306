import { t } from "@lingui/core/macro";
import Info from "lucide-react/icons/info";
import type { ReactNode } from "react";
import { createLateLayer } from "./late-layer.tsx";
import { useLateTrigger } from "./late-trigger.tsx";

const EXPLANATION = createLateLayer(() => import("./layers/explanation.tsx"));

export type ExplanationProps = {
  /** What is explained: "Success rate". */
  subject: string;
  children: ReactNode;
};

/** Says what a number means, where it stands: on hover, on press, and by the keyboard. */
export function Explanation({ subject, children }: ExplanationProps) {
  const { layer, ref, toWaiting } = useLateTrigger(EXPLANATION, { opensOnHover: true });
  const trigger = (
    <button
      type="button"
      aria-label={t`What ${subject} means`}
      // Above the link that a card may be as a whole, and as large as a finger without moving the line around it.
      className="relative z-10 -my-1 inline-grid size-6 cursor-help place-items-center rounded-full text-ink-faint hover:text-ink"
    >
      <Info aria-hidden="true" className="size-3.5" />
    </button>
  );
  return layer === undefined ? (
    toWaiting(trigger)
  ) : (
    <layer.Explanation subject={subject} trigger={trigger} triggerRef={ref}>
      {children}
    </layer.Explanation>
  );
}
