import { useState } from "react";

/**
 * True once each query was answered or has failed, and from then on. What stands below the first answers is hidden until then, while
 * it loads: they would move it.
 */
export function useOnceKnown(queries: readonly { isPending: boolean }[]): boolean {
  const [wasKnown, setWasKnown] = useState(false);
  const isKnown = wasKnown || queries.every(({ isPending }) => !isPending);
  if (isKnown !== wasKnown) {
    setWasKnown(isKnown);
  }
  return isKnown;
}
