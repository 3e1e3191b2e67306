import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

const ACTIONS = ["pointermove", "pointerdown", "keydown"] as const;

/**
 * Loads a part of a screen that its first view does without, such as a dialog: once the person does anything, so that it is there
 * before they want it, or once it is wanted. Without a network it comes as soon as there is one.
 *
 * @param name - Unique among all parts.
 * @returns What the file exports; undefined until it is there.
 */
export function useLatePart<Part>(
  name: string,
  load: () => Promise<Part>,
  isWanted: boolean,
): Part | undefined {
  const hasActed = useHasActed();
  const part = useQuery({
    queryKey: ["part", name],
    queryFn: load,
    enabled: isWanted || hasActed,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    // A module is not data to compare.
    structuralSharing: false,
  });
  return part.data;
}

function useHasActed(): boolean {
  const [hasActed, setHasActed] = useState(false);
  // The outside system is the person at the browser.
  useEffect(() => {
    if (hasActed) {
      return;
    }
    const act = () => setHasActed(true);
    for (const action of ACTIONS) {
      window.addEventListener(action, act, { capture: true, passive: true });
    }
    return () => {
      for (const action of ACTIONS) {
        window.removeEventListener(action, act, { capture: true });
      }
    };
  }, [hasActed]);
  return hasActed;
}
