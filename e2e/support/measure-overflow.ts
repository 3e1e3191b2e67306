import type { Page } from "playwright-core";

/** By how many pixels the page is wider than the window; 0 when there is no sideways scrolling. */
export async function measureOverflowPx(page: Page): Promise<number> {
  return await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
}
