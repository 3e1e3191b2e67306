import { createContext, type RefObject, use, useEffect } from "react";

/** The layer around a form, in which something may be typed that is not saved. */
export type UnsavedLayer = {
  /** True while something is typed that would be lost. */
  isUnsaved: RefObject<boolean>;
  /** Does what throws it away; asks first where something is typed. */
  discardBy: (leave: () => void) => void;
};

export const UnsavedContext = createContext<UnsavedLayer | undefined>(undefined);

/**
 * Tells the dialog around a form that something was typed, so that it asks before Escape, a press outside, the cross or
 * Cancel throws it away. Outside of a dialog it does nothing.
 */
export function useUnsaved(isUnsaved: boolean): void {
  const known = use(UnsavedContext)?.isUnsaved;
  // The outside system is the dialog, which is asked to close by the browser and not by a render.
  useEffect(() => {
    if (known === undefined) {
      return;
    }
    known.current = isUnsaved;
    return () => {
      known.current = false;
    };
  }, [known, isUnsaved]);
}

/** Makes what a Cancel button does of what leaves the form: it asks as the cross does. */
export function useCancel(leave: () => void): () => void {
  const layer = use(UnsavedContext);
  return layer === undefined ? leave : () => layer.discardBy(leave);
}
