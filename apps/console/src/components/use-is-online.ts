import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

/** False while the browser knows that there is no network. */
export function useIsOnline(): boolean {
  const isOnline = () => onlineManager.isOnline();
  return useSyncExternalStore(onlineManager.subscribe, isOnline, isOnline);
}
