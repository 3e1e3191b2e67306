import { Popover as BasePopover } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { joinClasses } from "../join-classes.tsx";
import { POPUP_CLASSES, POSITIONER_CLASSES, SCROLLING_CLASSES } from "../layer-styles.tsx";

export type PopoverProps = {
  trigger: ReactElement<Record<string, unknown>>;
  /** What the layer is, read out when it opens. */
  title: string;
  isTitleHidden?: boolean;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  align?: "start" | "center" | "end";
  className?: string;
  children: ReactNode;
};

/** A layer beside its button for more than actions. Escape and a press outside close it; the focus returns. */
export function Popover(props: PopoverProps) {
  return (
    <BasePopover.Root
      {...(props.isOpen !== undefined && { open: props.isOpen })}
      onOpenChange={(isOpen) => props.onOpenChange?.(isOpen)}
    >
      <BasePopover.Trigger render={props.trigger} />
      <BasePopover.Portal>
        <BasePopover.Positioner
          className={POSITIONER_CLASSES}
          align={props.align ?? "end"}
          sideOffset={4}
          collisionPadding={8}
        >
          <BasePopover.Popup
            className={joinClasses(POPUP_CLASSES, SCROLLING_CLASSES, props.className ?? "w-80 p-4")}
          >
            <BasePopover.Title
              className={props.isTitleHidden === true ? "sr-only" : "mb-2 font-semibold text-sm"}
            >
              {props.title}
            </BasePopover.Title>
            {props.children}
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  );
}
