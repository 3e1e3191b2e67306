import type { BrowserContext, Page } from "playwright-core";

/** Above this a page feels unsteady: what Web Vitals call good ends here. */
const SHIFT_MAX = 0.1;

/** Sums what moves without a person's doing, as browsers report it, with the elements that moved most. */
const NOTE = `
  globalThis.noted = { shift: 0, moved: [] };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (!hadRecentInput) {
        noted.shift += value;
        const name = ({ node }) => node?.outerHTML?.slice(0, 120) ?? "something removed";
        noted.moved.push(value.toFixed(3) + " " + sources.slice(0, 2).map(name).join(" and "));
      }
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

/** Has every page of a browser note how far its parts jump while it loads. */
export async function noteShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript(NOTE);
}

/**
 * Says what has jumped since the page was opened.
 *
 * @returns A line, or none when it stayed where it was.
 */
export async function findShift(page: Page): Promise<string[]> {
  const { shift, moved } = await page.evaluate<{ shift: number; moved: string[] }>("noted");
  return shift > SHIFT_MAX
    ? [`Jumps by ${shift.toFixed(2)} while it loads: ${moved.join("; ")}`]
    : [];
}
