import type { ParsedLocation } from "@tanstack/react-router";

/** Minimum time between two saves during scrolling, in milliseconds. */
export const SCROLL_SAVE_THROTTLE_MS = 100;

/** Where the router keeps the places of a tab; a test holds it against the router's own name. */
export const SCROLL_STORAGE_KEY = "tsr-scroll-restoration-v1_3";

export type ScrollPage = Pick<
  Window,
  "addEventListener" | "removeEventListener" | "sessionStorage" | "scrollX" | "scrollY"
>;

/**
 * Saves the scroll position during scrolling, in the entry that the router restores from. The router saves
 * when a page is left; a tab that the system kills would lose its position.
 *
 * @param getLocation - The location that is shown.
 * @returns Stops it.
 */
export function saveScroll(page: ScrollPage, getLocation: () => ParsedLocation): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = (): void => {
    timer = undefined;
    const { state, href } = getLocation();
    const key = state.__TSR_key ?? href;
    try {
      const saved = readPositions(page.sessionStorage.getItem(SCROLL_STORAGE_KEY));
      const entry = { ...saved[key], window: { scrollX: page.scrollX, scrollY: page.scrollY } };
      page.sessionStorage.setItem(SCROLL_STORAGE_KEY, JSON.stringify({ ...saved, [key]: entry }));
    } catch {
      // A full or forbidden storage costs the place on the page, nothing more.
    }
  };
  const onScroll = (): void => {
    timer ??= setTimeout(save, SCROLL_SAVE_THROTTLE_MS);
  };
  page.addEventListener("scroll", onScroll, { passive: true });
  return () => {
    clearTimeout(timer);
    page.removeEventListener("scroll", onScroll);
  };
}

function readPositions(text: string | null): Record<string, object> {
  const value: unknown = JSON.parse(text ?? "{}");
  return typeof value === "object" && value !== null ? { ...value } : {};
}
