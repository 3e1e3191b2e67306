import type { Page } from "playwright-core";

/** Skeletons, spinners, and regions that say so in either language. */
const LOADING =
  "[data-skeleton], [role=status][aria-label^=Loading], [role=status][aria-label*=geladen], [aria-busy=true]";

/** Waits until the page has its heading, its fonts and its data, and is drawn. */
export async function settlePage(page: Page): Promise<void> {
  // Behind an open dialog it is there, but hidden from the tree of roles.
  await page.locator("h1").first().waitFor({ state: "attached" });
  await page.waitForLoadState("load");
  await page.locator(LOADING).first().waitFor({ state: "detached" });
  await drawPage(page);
}

/** Waits until the page shows that it waits for its data. */
export async function settleLoadingPage(page: Page): Promise<void> {
  // Before it, the whole window waits for the person to be verified.
  await page.locator("h1").first().waitFor({ state: "attached" });
  await page.locator(LOADING).first().waitFor();
  await drawPage(page);
}

/** Waits for the fonts, and for what follows a change of size: charts are measured in one frame and drawn in the next. */
export async function drawPage(page: Page): Promise<void> {
  await page.evaluate(`document.fonts.ready.then(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))
  )`);
}
