/**
 * Draws the pictures of the landing page from the console with the demo's data: `node tools/landing-pictures.ts`. They are drawings
 * in the colours of the page that shows them, its theme and its operator's accent. README.md has one of them as pixels, since other
 * sites have no such colours.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeProductHome } from "@turnpike/testkit/product";
import { startBrowser } from "../e2e/support/browser.ts";
import { joinDemoTenant } from "../e2e/support/join-demo-tenant.ts";
import { makePerson } from "../e2e/support/sign-in.ts";
import { claimInstallation, registerMember } from "./catalogue/make-states.ts";
import { drawPage, settlePage } from "./catalogue/settle-page.ts";
import { drawPicture, type ShownTheme } from "./landing/draw-picture.ts";

const REPOSITORY = resolve(import.meta.dirname, "..");
const FOLDER = join(REPOSITORY, "apps/console/src/features/landing/pictures");
const README_FOLDER = join(REPOSITORY, "docs/pictures");
const WINDOW_PX = { width: 1280, height: 800 };
/** Pictures of pixels are 960 wide. */
const SCALE = 960 / 1280;
const QUALITY = 82;

const PICTURES: readonly (readonly [name: string, path: string])[] = [
  ["key", "/api-keys"],
  ["call", "/quickstart"],
  ["usage", "/analytics?range=30d"],
];
const IN_README = "usage";

/** The bar above the screens, below which they are scrolled, and what fields say while they are empty. */
const TRANSLUCENT = [
  "color-mix(in oklab, var(--asphalt-paper) 90%, transparent)",
  "color-mix(in oklab, var(--asphalt-ink) 50%, transparent)",
];

/** The colours that classes of the console name, as CSS writes them. */
async function readTokens(): Promise<string[]> {
  const text = await readFile(join(REPOSITORY, "packages/ui/src/tokens.css"), "utf8");
  const tokens = [...text.matchAll(/^ *--color-[\w-]+: (var\(--[\w-]+\));/gm)].map(
    ([, token = ""]) => token,
  );
  return [...tokens, ...TRANSLUCENT];
}

const collecting = await readFile(
  join(import.meta.dirname, "landing/collect-shapes.browser.js"),
  "utf8",
);
const tokens = await readTokens();
await using home = await makeProductHome();
const server = await home.startServer();
const consoleUrl = `http://localhost:${String(server.port)}`;
await using browser = await startBrowser();
await claimInstallation(await browser.context.newPage(), server.output());
const tenant = await joinDemoTenant(home, ["--tenants", "1", "--days", "40"]);
// Customers see no screen of the operator.
await using customer = await startBrowser();
const page = await customer.context.newPage();
await page.setViewportSize(WINDOW_PX);
const person = { ...makePerson(), email: "ada@example.com" };
await registerMember(home, { page, consoleUrl, tenant, role: "owner", person });
const devtools = await customer.context.newCDPSession(page);

async function show(theme: "light" | "dark"): Promise<ShownTheme> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await drawPage(page);
  return await page.evaluate<ShownTheme>(
    `${collecting}; ({ tokens: pictures.readTokenColours(${JSON.stringify(tokens)}), shapes: pictures.collectShapes() })`,
  );
}

async function takePixels(file: string): Promise<void> {
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
    clip: { x: 0, y: 0, ...WINDOW_PX, scale: SCALE },
  });
  await writeFile(file, Buffer.from(data, "base64"));
  console.log(file);
}

for (const [name, path] of PICTURES) {
  await page.goto(`${consoleUrl}${path}${path.includes("?") ? "&" : "?"}tenant=${tenant}`);
  await settlePage(page);
  const themes = { light: await show("light"), dark: await show("dark") };
  const drawn = drawPicture(themes, WINDOW_PX);
  const file = join(FOLDER, `${name}.svg`);
  // The address of the demo on this machine says nothing to a reader.
  await writeFile(file, drawn.replace(/http:\/\/localhost:\d+/g, "https://api.example.com"));
  console.log(file, drawn.length);
  if (name === IN_README) {
    await takePixels(join(README_FOLDER, "usage-dark.webp"));
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await drawPage(page);
    await takePixels(join(README_FOLDER, "usage-light.webp"));
  }
}
