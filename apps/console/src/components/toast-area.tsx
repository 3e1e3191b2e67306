import { useSyncExternalStore } from "react";
import { hasToasts, subscribeToToasts } from "#platform/toast.ts";
import { useLatePart } from "./use-late-part.ts";

/** Where toasts appear. What shows them is loaded once the person does anything, or there is one. */
export function ToastArea() {
  const isWanted = useSyncExternalStore(subscribeToToasts, hasToasts, () => false);
  const late = useLatePart("toaster", () => import("./toaster.tsx"), isWanted);
  return late !== undefined && <late.Toaster />;
}
