/**
 * Takes every screen of the console, light and dark, on a desk and on a phone, from an instance of its own with demo data.
 *
 * `node tools/screenshots.ts <folder>`
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { makeProductHome } from "@turnpike/testkit/product";
import { startBrowser } from "../e2e/support/browser.ts";
import { joinDemoTenant } from "../e2e/support/join-demo-tenant.ts";
import { measureOverflowPx } from "../e2e/support/measure-overflow.ts";
import { makePerson, registerPerson } from "../e2e/support/sign-in.ts";

const THEMES = ["light", "dark"] as const;
const WIDTHS_PX = [1440, 360] as const;

const PUBLIC_SCREENS: readonly (readonly [name: string, path: string])[] = [
  ["landing", "/"],
  ["login", "/login"],
  ["register", "/register"],
  ["terms", "/terms"],
  ["privacy", "/privacy"],
];

const SIGNED_IN_SCREENS: readonly (readonly [name: string, path: string])[] = [
  ["overview", "/overview"],
  ["quickstart", "/quickstart"],
  ["api-keys", "/api-keys"],
  ["analytics", "/analytics?range=30d"],
  ["analytics-alerts", "/analytics?tab=alerts"],
  ["ai-intelligence", "/ai-intelligence"],
  ["ai-intelligence-ask", "/ai-intelligence?ask=requests%20by%20route%20last%20week"],
  ["plans", "/plans"],
  ["plans-sandbox", "/plans?environment=test"],
  ["billings", "/billings"],
  ["billings-sandbox", "/billings?environment=test"],
  ["tenants", "/tenants"],
  ["tenants-settings", "/tenants?tab=settings"],
  ["tenants-members", "/tenants?tab=members"],
  ["tenants-audit", "/tenants?tab=audit"],
  ["tenants-agents", "/tenants?tab=agents"],
  ["operator", "/operator"],
  ["operator-tenants", "/operator/tenants"],
  ["operator-insights", "/operator/insights"],
  ["operator-service-keys", "/operator/service-keys"],
  ["operator-audit", "/operator/audit"],
  ["operator-outbox", "/operator/outbox"],
  ["operator-health", "/operator/health"],
  ["device", "/device"],
  ["not-found", "/overview/nothing-here"],
];

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node tools/screenshots.ts <folder>");
  process.exit(2);
}
await mkdir(folder, { recursive: true });
await using home = await makeProductHome();
const server = await home.startServer();
const consoleUrl = `http://localhost:${String(server.port)}`;
await using browser = await startBrowser();
const page = await browser.context.newPage();
let overflows = 0;

for (const [name, path] of PUBLIC_SCREENS) {
  await open(path);
  await takeEach(name);
}

const setupLink = /http\S+#setup=[\w-]+/.exec(server.output())?.[0];
if (setupLink === undefined) {
  throw new Error(`The product printed no setup link:\n${server.output()}`);
}
const person = makePerson();
await registerPerson(page, setupLink, person);
await page.getByRole("heading", { name: "Your API", level: 1 }).waitFor();
await takeEach("operator-first-visit");

const tenant = await joinDemoTenant(home);
for (const [name, path] of SIGNED_IN_SCREENS) {
  await open(`${path}${path.includes("?") ? "&" : "?"}tenant=${tenant}`);
  await takeEach(name);
}
if (overflows > 0) {
  console.error(`${String(overflows)} screens are wider than their window`);
  process.exitCode = 1;
}

async function open(path: string): Promise<void> {
  await page.goto(consoleUrl + path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
}

/** Skeletons are gone, and what was loaded lazily is there. */
async function settle(): Promise<void> {
  await page.waitForLoadState("load");
  const loading = page.locator("[role=status][aria-label^=Loading], [aria-busy=true]");
  await loading.first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}

async function takeEach(name: string): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const width of WIDTHS_PX) {
      await page.setViewportSize({ width, height: 900 });
      await settle();
      const overflowPx = await measureOverflowPx(page);
      overflows += overflowPx > 0 ? 1 : 0;
      const path = join(String(folder), `${name}-${theme}-${String(width)}.png`);
      await page.screenshot({ path, fullPage: true });
      console.log(overflowPx > 0 ? `${path} is ${String(overflowPx)} px too wide` : path);
    }
  }
}
