/**
 * Takes the console's page as a visitor and as an operator see it, light and dark, on a desk and on a phone.
 *
 * `node tools/screenshots.ts <folder> [setup link]` - without a link it starts an instance of its own.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startBrowser } from "../e2e/support/browser.ts";
import { startInstance } from "../e2e/support/instance.ts";

const THEMES = ["light", "dark"] as const;
const WIDTHS_PX = [1440, 360] as const;

const [folder, givenLink] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node tools/screenshots.ts <folder> [setup link]");
  process.exit(2);
}
await mkdir(folder, { recursive: true });
if (givenLink === undefined) {
  await using instance = await startInstance();
  await takeAll(folder, instance.setupLink());
} else {
  await takeAll(folder, givenLink);
}

async function takeAll(target: string, setupLink: string): Promise<void> {
  await using browser = await startBrowser();
  const page = await browser.context.newPage();
  await page.goto(new URL("/", setupLink).href);
  await page.getByRole("heading", { name: "State of this instance" }).waitFor();
  await page.getByText("Database", { exact: true }).waitFor();
  await takeEach(page, target, "visitor");
  await page.goto(setupLink);
  await page.getByRole("button", { name: "Claim instance" }).waitFor();
  await takeEach(page, target, "claim");
  await page.getByRole("button", { name: "Claim instance" }).click();
  await page.getByText("This is the only time this key is shown.").waitFor();
  await takeEach(page, target, "claimed");
  await page.getByRole("button", { name: "I have stored it" }).click();
  for (const name of ["Northwind Traders", "Acme"]) {
    await page.getByLabel("Tenant name").fill(name);
    await page.getByRole("button", { name: "Create tenant" }).click();
    await page.getByRole("heading", { name, exact: true }).waitFor();
  }
  await page.getByLabel("Key name").fill("Production server");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("This is the only time this key is shown.").waitFor();
  await page.getByText("All calls").or(page.getByText("No calls yet.")).waitFor();
  await takeEach(page, target, "operator");
}

async function takeEach(page: Page, target: string, name: string): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const width of WIDTHS_PX) {
      await page.setViewportSize({ width, height: 900 });
      const path = join(target, `${name}-${theme}-${String(width)}.png`);
      await page.screenshot({ path, fullPage: true });
      console.log(path);
    }
  }
}
