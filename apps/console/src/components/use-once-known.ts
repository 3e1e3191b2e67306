import { useState } from "react";

/**
 * True from the moment when every query has answered or failed, also while they are asked again. Content that the first answers would
 * push down is shown from then on.
 */
export function useOnceKnown(queries: readonly { isPending: boolean }[]): boolean {
  const [wasKnown, setWasKnown] = useState(false);
  const isKnown = wasKnown || queries.every(({ isPending }) => !isPending);
  if (isKnown !== wasKnown) {
    setWasKnown(isKnown);
  }
  return isKnown;
}
