import { Tooltip as BaseTooltip } from "@base-ui/react/tooltip";
import type { ReactNode } from "react";
import { POSITIONER_CLASSES } from "../layer-styles.tsx";

export type TooltipLayerProps = {
  id: string;
  /** What it is beside. */
  anchor: Element;
  isOpen: boolean;
  side: "top" | "right" | "bottom" | "left";
  /** The pointer went to it, or left it. */
  onHover: (isHovered: boolean) => void;
  onClose: () => void;
  children: ReactNode;
};

/** What a tooltip says, beside what it says it of. */
export function TooltipLayer(props: TooltipLayerProps) {
  return (
    <BaseTooltip.Root open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <BaseTooltip.Portal>
        <BaseTooltip.Positioner
          className={POSITIONER_CLASSES}
          anchor={props.anchor}
          side={props.side}
          sideOffset={6}
        >
          <BaseTooltip.Popup
            id={props.id}
            role="tooltip"
            onPointerEnter={() => props.onHover(true)}
            onPointerLeave={() => props.onHover(false)}
            className="max-w-72 rounded-control bg-ink px-2.5 py-1.5 text-paper text-xs shadow-float transition-opacity duration-150 ease-out data-instant:transition-none data-starting-style:opacity-0 data-ending-style:opacity-0"
          >
            {props.children}
          </BaseTooltip.Popup>
        </BaseTooltip.Positioner>
      </BaseTooltip.Portal>
    </BaseTooltip.Root>
  );
}
