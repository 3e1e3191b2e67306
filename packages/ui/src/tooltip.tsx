import { Tooltip as BaseTooltip } from "@base-ui/react/tooltip";
import { type ReactElement, type ReactNode, useId, useState } from "react";
import { POSITIONER_CLASSES } from "./layer-styles.tsx";

/** From the pointer's arrival to a tooltip, in milliseconds. */
const DELAY_MS = 400;

/** Once a tooltip has opened, the next one beside it opens at once. Not in `UiProvider`: pages without a tooltip load nothing of them. */
export function TooltipGroup({ children }: { children: ReactNode }) {
  return <BaseTooltip.Provider delay={DELAY_MS}>{children}</BaseTooltip.Provider>;
}

export type TooltipProps = {
  content: ReactNode;
  /** What is pointed at or focused: one element that takes a ref. */
  children: ReactElement<Record<string, unknown>>;
  side?: "top" | "right" | "bottom" | "left";
  /** The content only repeats the name of the element, so it is not read out a second time. */
  isName?: boolean;
};

/** Says more about an element on hover and focus; Escape closes it. Never the only place of what must be known. */
export function Tooltip({ content, children, side = "top", isName = false }: TooltipProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <BaseTooltip.Root open={isOpen} onOpenChange={setIsOpen}>
      <BaseTooltip.Trigger
        render={children}
        delay={DELAY_MS}
        {...(isOpen && !isName && { "aria-describedby": id })}
      />
      <BaseTooltip.Portal>
        <BaseTooltip.Positioner className={POSITIONER_CLASSES} side={side} sideOffset={6}>
          <BaseTooltip.Popup
            id={id}
            role="tooltip"
            className="max-w-72 rounded-control bg-ink px-2.5 py-1.5 text-paper text-xs shadow-float transition-opacity duration-150 ease-out data-instant:transition-none data-starting-style:opacity-0 data-ending-style:opacity-0"
          >
            {content}
          </BaseTooltip.Popup>
        </BaseTooltip.Positioner>
      </BaseTooltip.Portal>
    </BaseTooltip.Root>
  );
}
