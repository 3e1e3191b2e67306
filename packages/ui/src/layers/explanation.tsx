import { Popover as BasePopover } from "@base-ui/react/popover";
import type { ReactElement, ReactNode, Ref } from "react";
import { joinClasses } from "../join-classes.tsx";
import { POPUP_CLASSES, POSITIONER_CLASSES } from "../layer-styles.tsx";

export type ExplanationProps = {
  subject: string;
  trigger: ReactElement<Record<string, unknown>>;
  triggerRef: Ref<HTMLElement>;
  children: ReactNode;
};

/** What a number means, beside its button. */
export function Explanation({ subject, trigger, triggerRef, children }: ExplanationProps) {
  return (
    <BasePopover.Root>
      <BasePopover.Trigger
        openOnHover
        delay={150}
        render={trigger}
        ref={triggerRef as Ref<HTMLButtonElement>}
      />
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
