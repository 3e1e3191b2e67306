import { mergeProps } from "@base-ui/react/merge-props";
import {
  cloneElement,
  createContext,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { createLateLayer, useLateLayer } from "./late-layer.tsx";

const TOOLTIP = createLateLayer(() => import("./layers/tooltip.tsx"));

/** From the pointer's arrival to a tooltip, in milliseconds. */
const DELAY_MS = 400;
/** So long after a tooltip the next one opens at once, in milliseconds. */
const NEXT_WITHIN_MS = 400;
/** The pointer may go from an element to its tooltip, in milliseconds. */
const LEAVE_MS = 100;

/** When the newest tooltip was closed, as `performance.now()`. */
const GroupContext = createContext<RefObject<number>>({ current: Number.NEGATIVE_INFINITY });

/** Once a tooltip has opened, the next one beside it opens at once. */
export function TooltipGroup({ children }: { children: ReactNode }) {
  const closedAtMs = useRef(Number.NEGATIVE_INFINITY);
  return <GroupContext value={closedAtMs}>{children}</GroupContext>;
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
  const id = useId();
  const { anchor, isOpen, events, turn } = useTooltip();
  const layer = useLateLayer(TOOLTIP, anchor);
  return (
    <>
      {cloneElement(
        children,
        mergeProps<"button">(
          {
            ...events,
            ...(isOpen && layer !== undefined && !isName && { "aria-describedby": id }),
          },
          children.props,
        ),
      )}
      {layer !== undefined && anchor !== undefined && (
        <layer.TooltipLayer
          id={id}
          anchor={anchor}
          isOpen={isOpen}
          side={side}
          onHover={(isHovered) => turn(isHovered, isHovered ? 0 : LEAVE_MS)}
          onClose={() => turn(false, 0)}
        >
          {content}
        </layer.TooltipLayer>
      )}
    </>
  );
}

/** When a tooltip is open, by what the pointer and the focus do. */
function useTooltip() {
  const closedAtMs = use(GroupContext);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [anchor, setAnchor] = useState<Element>();
  const [isOpen, setIsOpen] = useState(false);
  // The outside system is the clock.
  useEffect(() => () => clearTimeout(timer.current), []);

  function turn(isNext: boolean, afterMs: number): void {
    clearTimeout(timer.current);
    const change = (): void => {
      if (isOpen && !isNext) {
        closedAtMs.current = performance.now();
      }
      setIsOpen(isNext);
    };
    if (afterMs === 0) {
      change();
    } else {
      timer.current = setTimeout(change, afterMs);
    }
  }
  const close = (): void => turn(false, 0);
  const events = {
    onPointerEnter: ({ currentTarget, pointerType }: PointerEvent) => {
      if (pointerType !== "touch") {
        setAnchor(currentTarget);
        turn(true, performance.now() - closedAtMs.current < NEXT_WITHIN_MS ? 0 : DELAY_MS);
      }
    },
    onPointerLeave: () => turn(false, isOpen ? LEAVE_MS : 0),
    // A press is about the element itself.
    onPointerDown: close,
    onFocus: ({ currentTarget }: FocusEvent) => {
      if (currentTarget.matches(":focus-visible")) {
        setAnchor(currentTarget);
        turn(true, 0);
      }
    },
    onBlur: close,
  };
  return { anchor, isOpen, events, turn };
}
