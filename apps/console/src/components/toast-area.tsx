import { useSyncExternalStore } from "react";
import { Toaster } from "sonner";
import { usePlatform } from "#platform/platform.tsx";

/** The numbers of spec.md §9, said here so that no version of the library changes them. */
export const TOAST_DEFAULTS = {
  duration: 4000,
  visibleToasts: 3,
  gap: 14,
  position: "bottom-right",
  hotkey: ["altKey", "KeyT"],
} as const;

/** Where toasts appear. */
export function ToastArea() {
  const { theme } = usePlatform();
  const choice = useSyncExternalStore(theme.subscribe, theme.getChoice, () => "system" as const);
  return (
    <Toaster {...TOAST_DEFAULTS} hotkey={[...TOAST_DEFAULTS.hotkey]} richColors theme={choice} />
  );
}
