import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";

const { consoleUrl } = inject("sharedProduct");
let browser: TestBrowser;
let page: Page;
/** Lets the file of what floats through. */
let release: () => void;

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.context.newPage();
  await registerPerson(page, `${consoleUrl}/register`, makePerson());
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

/** A screen whose person has done nothing yet, on a network that keeps back what floats until it is let through. */
async function openOnSlowNetwork(): Promise<string[]> {
  const asked: string[] = [];
  const isThere = Promise.withResolvers<void>();
  release = isThere.resolve;
  await page.unrouteAll();
  await page.route(/\/assets\/layers-[^/]*\.js$/, async (route) => {
    asked.push(route.request().url());
    await isThere.promise;
    await route.continue();
  });
  await page.goto(`${consoleUrl}/overview`, { waitUntil: "networkidle" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  return asked;
}

it("a screen loads nothing of what floats above it before its person acts", async () => {
  const asked = await openOnSlowNetwork();
  expect(asked).toEqual([]);
  await page.keyboard.press("Tab");
  await expect.poll(() => asked).toHaveLength(1);
  release();
});

it("a press on a menu that is still on its way opens it, and the focus comes back", async () => {
  await openOnSlowNetwork();
  const button = page.getByRole("button", { name: /^Account:/ });
  await button.click();
  expect(await page.getByRole("menu").count()).toBe(0);
  release();
  await page.getByRole("menuitem", { name: "Your account" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await expect
    .poll(() => page.evaluate<string>("document.activeElement.textContent"))
    .toMatch(/^Account:/);
});

it("a key on a menu that is still on its way opens it at its first entry", async () => {
  await openOnSlowNetwork();
  await page.getByRole("button", { name: /^Environment:/ }).focus();
  await page.keyboard.press("Enter");
  release();
  await page.getByRole("menu").waitFor();
  await expect
    .poll(() => page.evaluate<string>("document.activeElement.textContent"))
    .toBe("Live and test");
});
