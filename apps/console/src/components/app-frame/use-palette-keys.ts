import { t } from "@lingui/core/macro";
import { useEffect, useEffectEvent } from "react";

/** Ctrl+K, or Cmd+K where there is such a key, wherever the focus is. */
export function usePaletteKeys(onPress: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      onPress();
    }
  });
  // The outside system is the keyboard.
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}

/** The name of the key that goes with K on this device. */
export function toPaletteModifier(platform: string): string {
  return /mac|iphone|ipad/i.test(platform) ? "⌘" : t`Ctrl`;
}
