import { joinClasses } from "@turnpike/ui/join-classes";
import { useSyncExternalStore } from "react";
import { listWaitingToasts, subscribeToToasts, type Toast } from "#platform/toast.ts";
import { useIsOnline } from "./use-is-online.ts";
import { useLatePart } from "./use-late-part.ts";

const NO_TOASTS: readonly Toast[] = [];
const SHOWN_MAX = 3;

const LOOKS: Readonly<Record<Toast["kind"], string>> = {
  success: "border-ok/30 bg-ok-soft text-ok",
  error: "border-danger/30 bg-danger-soft text-danger",
  warning: "border-warning/30 bg-warning-soft text-warning",
};

/** Where toasts appear. What shows them is loaded once the person does anything, or there is one. */
export function ToastArea() {
  const waiting = useSyncExternalStore(subscribeToToasts, listWaitingToasts, () => NO_TOASTS);
  const isOnline = useIsOnline();
  const late = useLatePart("toaster", () => import("./toaster.tsx"), waiting.length > 0);
  if (late !== undefined) {
    return <late.Toaster />;
  }
  return isOnline ? null : <PlainToasts toasts={waiting.slice(-SHOWN_MAX)} />;
}

/** Says what has to be said where the network went away before the real ones were loaded. */
function PlainToasts({ toasts }: { toasts: readonly Toast[] }) {
  return (
    <div
      role="status"
      className="fixed right-4 bottom-4 left-4 z-50 space-y-2 sm:left-auto sm:w-90"
    >
      {toasts.map(({ number, kind, message }) => (
        <p
          key={number}
          className={joinClasses("rounded-control border p-4 text-sm shadow-lg", LOOKS[kind])}
        >
          {message}
        </p>
      ))}
    </div>
  );
}
