import { mergeProps } from "@base-ui/react/merge-props";
import {
  cloneElement,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactElement,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type LateLayer, useLateLayer } from "./late-layer.tsx";

/** What a person did to the button of a layer that was not there yet. */
type Press = { repeat: (button: HTMLElement) => void; takesFocus: boolean };

export type LateTriggerOptions = {
  /** Whether a key opens the layer, beside Enter and Space, which press a button. */
  isOpenKey?: (key: string) => boolean;
  /** True for a layer that the pointer opens without a press. */
  opensOnHover?: boolean;
  /** Opened by something else than its button. */
  isOpen?: boolean | undefined;
};

export type LateTrigger<Part> = {
  /** The layer, once its own button takes over from the one that waits for it. */
  layer: Part | undefined;
  /** For the layer's own button. */
  ref: RefObject<HTMLElement | null>;
  /** The button until then: it looks the same, and what is done to it is done again to the layer's own. */
  toWaiting: (trigger: Trigger) => ReactElement;
};

type Trigger = ReactElement<Record<string, unknown>>;

/** Lets a button stand in for that of a layer whose file is loaded when it is first pressed, or before. */
export function useLateTrigger<Part>(
  late: LateLayer<Part>,
  options: LateTriggerOptions = {},
): LateTrigger<Part> {
  const ref = useRef<HTMLElement>(null);
  const [press, setPress] = useState<Press>();
  // What is there when a button is first shown has it from the beginning: no button is replaced before it is pressed.
  const [isOwn, setIsOwn] = useState(() => late.read() !== undefined);
  const part = useLateLayer(late, press ?? options.isOpen);
  if (!isOwn && part !== undefined && (press !== undefined || options.isOpen === true)) {
    setIsOwn(true);
  }

  // The outside system is the focus of the document, which goes with the button that waited.
  useLayoutEffect(() => {
    if (isOwn && press?.takesFocus === true) {
      ref.current?.focus({ preventScroll: true });
    }
  }, [isOwn, press]);
  // And its events.
  useEffect(() => {
    if (isOwn && press !== undefined && ref.current !== null) {
      setPress(undefined);
      press.repeat(ref.current);
    }
  }, [isOwn, press]);

  return {
    layer: isOwn ? part : undefined,
    ref,
    toWaiting: (trigger) =>
      cloneElement(
        trigger,
        mergeProps<"button">(
          { "aria-expanded": false, ...listenFor(options, setPress) },
          trigger.props,
        ),
      ),
  };
}

function listenFor(options: LateTriggerOptions, setPress: (press: Press) => void) {
  return {
    // What is done again reaches the parts around the button then.
    onClick: (event: MouseEvent) => {
      event.stopPropagation();
      const { detail } = event;
      const repeat = (button: HTMLElement) =>
        button.dispatchEvent(new window.MouseEvent("click", { ...AS_DONE, detail }));
      setPress({ repeat, takesFocus: true });
    },
    onKeyDown: (event: KeyboardEvent) => {
      const { key } = event;
      if (options.isOpenKey?.(key) === true && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        event.stopPropagation();
        const repeat = (button: HTMLElement) =>
          button.dispatchEvent(new window.KeyboardEvent("keydown", { ...AS_DONE, key }));
        setPress({ repeat, takesFocus: true });
      }
    },
    ...(options.opensOnHover === true && {
      onPointerEnter: (event: PointerEvent) => {
        if (event.pointerType === "mouse") {
          const takesFocus = event.currentTarget === document.activeElement;
          // The pointer is still there, and tells the layer's own button itself.
          setPress({ repeat: () => undefined, takesFocus });
        }
      },
    }),
  };
}

const AS_DONE = { bubbles: true, cancelable: true } as const;

/** Up and down, by which lists open. */
export function isArrow(key: string): boolean {
  return key === "ArrowDown" || key === "ArrowUp";
}
