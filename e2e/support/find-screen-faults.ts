import type { Page } from "playwright-core";
import { findAxeViolations, rulesIn } from "./find-axe-violations.ts";
import { measureOverflowPx } from "./measure-overflow.ts";

const WIDTHS_PX = [1440, 360] as const;
const HEIGHT_PX = 900;

/**
 * Lists what keeps a screen, as it stands, from being right in either theme, on a desk and on a phone.
 *
 * @returns Empty when it is right. The window is as wide as a desk's afterwards.
 */
export async function findScreenFaults(page: Page): Promise<string[]> {
  const loading = page.locator("[role=status][aria-label^=Loading], [aria-busy=true]");
  await loading.first().waitFor({ state: "detached" });
  const faults: string[] = [];
  for (const width of WIDTHS_PX) {
    await page.setViewportSize({ width, height: HEIGHT_PX });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      faults.push(...(await findAxeViolations(page, { rules: rulesIn(colorScheme) })));
    }
    const overflowPx = await measureOverflowPx(page);
    faults.push(
      ...(overflowPx > 0 ? [`${String(overflowPx)} px too wide at ${String(width)}`] : []),
    );
  }
  await page.setViewportSize({ width: WIDTHS_PX[0], height: HEIGHT_PX });
  return faults;
}
