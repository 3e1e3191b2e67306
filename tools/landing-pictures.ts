/**
 * Takes the pictures of the landing page, one of which README.md shows too, from the console with the demo's data, in both themes:
 * `node tools/landing-pictures.ts`.
 */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeProductHome } from "@turnpike/testkit/product";
import { startBrowser } from "../e2e/support/browser.ts";
import { joinDemoTenant } from "../e2e/support/join-demo-tenant.ts";
import { makePerson } from "../e2e/support/sign-in.ts";
import { claimInstallation } from "./catalogue/make-states.ts";
import { settlePage } from "./catalogue/settle-page.ts";

const FOLDER = resolve(import.meta.dirname, "../apps/console/src/features/landing/pictures");
const THEMES = ["light", "dark"] as const;
/** What is shown, and how much larger than the window: together 960 by 600 pixels. */
const WINDOW_PX = { width: 1280, height: 800 };
const SCALE = 960 / 1280;
const QUALITY = 82;

const PICTURES: readonly (readonly [name: string, path: string])[] = [
  ["key", "/api-keys"],
  ["call", "/quickstart"],
  ["usage", "/analytics?range=30d"],
];

await using home = await makeProductHome();
const server = await home.startServer();
const consoleUrl = `http://localhost:${String(server.port)}`;
await using browser = await startBrowser();
const page = await browser.context.newPage();
await page.setViewportSize(WINDOW_PX);
await claimInstallation(page, server.output(), { ...makePerson(), email: "ada@example.com" });
const tenant = await joinDemoTenant(home);
const devtools = await browser.context.newCDPSession(page);

for (const [name, path] of PICTURES) {
  await page.goto(`${consoleUrl}${path}${path.includes("?") ? "&" : "?"}tenant=${tenant}`);
  await page.waitForLoadState("networkidle");
  await settlePage(page);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    const { data } = await devtools.send("Page.captureScreenshot", {
      format: "webp",
      quality: QUALITY,
      clip: { x: 0, y: 0, ...WINDOW_PX, scale: SCALE },
    });
    const file = join(FOLDER, `${name}-${theme}.webp`);
    const bytes = Buffer.from(data, "base64");
    await writeFile(file, bytes);
    console.log(file, bytes.length);
  }
}
