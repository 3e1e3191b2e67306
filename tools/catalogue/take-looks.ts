import { join } from "node:path";
import type { Page } from "playwright-core";
import { findAxeViolations, rulesIn } from "../../e2e/support/find-axe-violations.ts";
import { measureOverflowPx } from "../../e2e/support/measure-overflow.ts";
import { findShift } from "./layout-shift.ts";
import { applyLook, type Look, looksOf } from "./looks.ts";
import type { Picture } from "./render-index.ts";
import type { Screen } from "./screens.ts";
import { drawPage, settleLoadingPage, settlePage } from "./settle-page.ts";

/** States in which the catalogue makes answers fail. */
const BROKEN = ["partial", "error"];
/** What the browser itself writes about an answer that is no success. */
const FAILED_ANSWER = "Failed to load resource";

/** Takes a picture of a screen in each of the looks of a state, into a folder. */
export async function takeLooks(
  page: Page,
  { screen, state, url, folder }: { screen: Screen; state: string; url: string; folder: string },
): Promise<Picture[]> {
  const noted = noteTroubles(page);
  const pictures: Picture[] = [];
  let openedAs = "";
  for (const look of looksOf(state)) {
    const findings: string[] = [];
    await applyLook(page, look);
    // Anew for each width, as people open it: what is scrolled or folded by width is so from the start.
    const opensAs = `${String(look.width)} ${look.language ?? "en"}`;
    if (opensAs !== openedAs) {
      await open(page, { screen, state, url });
      findings.push(...(await findShift(page)));
      openedAs = opensAs;
    }
    await drawPage(page);
    const file = `${screen.name}-${state}-${look.name}.png`;
    // A dialog fills the window, however long the page behind it is.
    const hasDialog = (await page.getByRole("dialog").count()) > 0;
    await page.screenshot({ path: join(folder, file), fullPage: !hasDialog });
    const reported = noted
      .splice(0)
      .filter((text) => !(BROKEN.includes(state) && text.startsWith(FAILED_ANSWER)));
    findings.push(...(await findFaults(page, look)), ...reported);
    pictures.push({ screen: screen.name, state, look: look.name, file, findings });
    console.log([file, ...findings].join("\n  "));
  }
  return pictures;
}

async function open(
  page: Page,
  { screen, state, url }: { screen: Screen; state: string; url: string },
): Promise<void> {
  await page.goto(url);
  await (state === "loading" ? settleLoadingPage(page) : settlePage(page));
  if (screen.press !== undefined) {
    await page.getByRole("button", { name: screen.press }).first().click();
    await settlePage(page);
  }
}

/** Gathers what the page reports to the browser's console. Taking a picture empties the list. */
function noteTroubles(page: Page): string[] {
  const noted: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      noted.push(message.text());
    }
  });
  page.on("pageerror", (error) => noted.push(error.message));
  return noted;
}

/** What the picture alone does not tell. */
async function findFaults(page: Page, look: Look): Promise<string[]> {
  const overflowPx = await measureOverflowPx(page);
  const moving = await page.evaluate<number>(
    "document.getAnimations().filter(({ playState }) => playState === 'running').length",
  );
  // Forced colours are the system's: their contrast is not the page's.
  const isColoured = look.hasForcedColours !== true;
  return [
    ...(overflowPx > 0 ? [`${String(overflowPx)} px too wide`] : []),
    ...(moving > 0 ? [`${String(moving)} parts move though less motion is wanted`] : []),
    ...(isColoured ? await findAxeViolations(page, { rules: rulesIn(look.theme) }) : []),
  ];
}
