import { cloneElement } from "react";
import { createLateLayer } from "./late-layer.tsx";
import { useLateTrigger } from "./late-trigger.tsx";
import type { PopoverProps } from "./layers/popover.tsx";

const POPOVER = createLateLayer(() => import("./layers/popover.tsx"));

/** A layer beside its button for more than actions. Escape and a press outside close it; the focus returns. */
export function Popover(props: PopoverProps) {
  const { layer, ref, toWaiting } = useLateTrigger(POPOVER, { isOpen: props.isOpen });
  return layer === undefined ? (
    toWaiting(cloneElement(props.trigger, { "aria-haspopup": "dialog" }))
  ) : (
    <layer.Popover {...props} trigger={cloneElement(props.trigger, { ref })} />
  );
}
