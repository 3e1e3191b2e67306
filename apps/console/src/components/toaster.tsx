import { useEffect, useSyncExternalStore } from "react";
import { Toaster as Sonner, toast as show } from "sonner";
import { usePlatform } from "#platform/platform.tsx";
import { subscribeToToasts, takeToasts } from "#platform/toast.ts";

/** The numbers of spec.md §9, said here so that no version of the library changes them. */
export const TOAST_DEFAULTS = {
  duration: 4000,
  visibleToasts: 3,
  gap: 14,
  position: "bottom-right",
  hotkey: ["altKey", "KeyT"],
} as const;

/** Shows toasts, those that were said before it was there as well. */
export function Toaster() {
  const { theme } = usePlatform();
  const choice = useSyncExternalStore(theme.subscribe, theme.getChoice, () => "system" as const);
  // The outside system is the library's own list, which its part of the page follows from its own effect on.
  useEffect(() => {
    const showAll = (): void => {
      for (const { kind, message, options } of takeToasts()) {
        show[kind](message, options);
      }
    };
    showAll();
    return subscribeToToasts(showAll);
  }, []);
  return (
    <Sonner {...TOAST_DEFAULTS} hotkey={[...TOAST_DEFAULTS.hotkey]} richColors theme={choice} />
  );
}
