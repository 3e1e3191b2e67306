import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { type Cursor, clampCursor, NO_CURSOR, stepCursor } from "./cursor.view-model.ts";

export type ChartCursorOptions = {
  bucketCount: number;
  /** Undefined when ranges cannot be chosen: then nothing is brushed either. */
  onSelect: ((fromIndex: number, toIndex: number) => void) | undefined;
};

/** A pointer that moved less than this was a click, in pixels. */
const CLICK_PX = 4;

/** The crosshair of a chart: moved by the pointer and by keys, with a selection between two places. */
export function useChartCursor({ bucketCount, onSelect }: ChartCursorOptions) {
  const [state, setState] = useState<{ cursor: Cursor; isByKeys: boolean }>(AWAY);
  const [drag, setDrag] = useState<{ index: number; clientX: number } | undefined>();
  const cursor = clampCursor(state.cursor, bucketCount);
  const canSelect = onSelect !== undefined;

  const readIndex = (event: PointerEvent<HTMLElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(1, box.width);
    return Math.min(bucketCount - 1, Math.max(0, Math.floor(share * bucketCount)));
  };
  const leave = () => {
    setDrag(undefined);
    setState(AWAY);
  };

  return {
    cursor,
    /** True when the last move came from the keyboard, and should be read out. */
    isByKeys: state.isByKeys,
    handlers: {
      onFocus: (event: React.FocusEvent<HTMLElement>) => {
        if (bucketCount > 0 && event.currentTarget.matches(":focus-visible")) {
          const index = cursor.index ?? bucketCount - 1;
          setState({ cursor: { index, anchor: undefined }, isByKeys: true });
        }
      },
      onBlur: leave,
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        if (event.altKey || event.ctrlKey || event.metaKey) {
          return;
        }
        const pressed = { key: event.key, shiftKey: event.shiftKey && canSelect };
        const step = stepCursor(cursor, pressed, bucketCount);
        if (step?.kind === "move") {
          event.preventDefault();
          setState({ cursor: step.cursor, isByKeys: true });
        } else if (step?.kind === "select" && canSelect) {
          event.preventDefault();
          setState({ cursor: { ...cursor, anchor: undefined }, isByKeys: true });
          onSelect(step.fromIndex, step.toIndex);
        }
      },
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button === 0 && bucketCount > 0) {
          const index = readIndex(event);
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag(canSelect ? { index, clientX: event.clientX } : undefined);
          setState({ cursor: { index, anchor: undefined }, isByKeys: false });
        }
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (bucketCount > 0) {
          const isBrush = drag !== undefined && Math.abs(event.clientX - drag.clientX) >= CLICK_PX;
          setState({
            cursor: { index: readIndex(event), anchor: isBrush ? drag.index : undefined },
            isByKeys: false,
          });
        }
      },
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        setDrag(undefined);
        const { index, anchor } = cursor;
        // A tap only looks: a finger cannot look without touching.
        const isLook = anchor === undefined && event.pointerType === "touch";
        if (drag === undefined || index === undefined || isLook) {
          return;
        }
        setState({ cursor: { index, anchor: undefined }, isByKeys: false });
        const other = anchor ?? index;
        onSelect?.(Math.min(index, other), Math.max(index, other));
      },
      onPointerCancel: leave,
      onPointerLeave: (event: PointerEvent<HTMLElement>) => {
        // A finger that is lifted leaves, and what it pointed at is still being read.
        if (drag === undefined && event.pointerType !== "touch") {
          leave();
        }
      },
    },
  };
}

const AWAY = { cursor: NO_CURSOR, isByKeys: false };
