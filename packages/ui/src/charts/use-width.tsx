import { type RefCallback, useCallback, useState } from "react";

/** Follows the width of an element, in whole pixels. 0 until it has been laid out. */
export function useWidth(): [RefCallback<HTMLElement>, number] {
  const [widthPx, setWidthPx] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) {
      return;
    }
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) {
        setWidthPx(Math.floor(entry.contentRect.width));
      }
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, widthPx];
}
