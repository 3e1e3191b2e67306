import { Popover as BasePopover } from "@base-ui/react/popover";
import { t } from "@lingui/core/macro";
import Info from "lucide-react/icons/info";
import type { ReactNode } from "react";
import { joinClasses } from "./join-classes.tsx";
import { POPUP_CLASSES, POSITIONER_CLASSES } from "./layer-styles.tsx";

export type ExplanationProps = {
  /** What is explained: "Success rate". */
  subject: string;
  children: ReactNode;
};

/** Says what a number means, where it stands: on hover, on press, and by the keyboard. */
export function Explanation({ subject, children }: ExplanationProps) {
  return (
    <BasePopover.Root>
      <BasePopover.Trigger
        openOnHover
        delay={150}
        aria-label={t`What ${subject} means`}
        // Above the link that a card may be as a whole, and as large as a finger without moving the line it stands in.
        className="relative z-10 -my-1 inline-grid size-6 cursor-help place-items-center rounded-full text-ink-faint hover:text-ink"
      >
        <Info aria-hidden="true" className="size-3.5" />
      </BasePopover.Trigger>
      <BasePopover.Portal>
        <BasePopover.Positioner className={POSITIONER_CLASSES} sideOffset={4} collisionPadding={8}>
          <BasePopover.Popup className={joinClasses(POPUP_CLASSES, "w-72 px-3 py-2.5")}>
            <BasePopover.Title className="sr-only">{subject}</BasePopover.Title>
            <BasePopover.Description render={<div />}>{children}</BasePopover.Description>
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  );
}
