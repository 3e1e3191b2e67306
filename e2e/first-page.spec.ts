import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { watchPage } from "./support/watch-page.ts";

let instance: Instance;
let browser: TestBrowser;

beforeAll(async () => {
  instance = await startInstance();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
});

async function openFirstPage(): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(instance.consoleUrl);
  await page.getByText("Every part works.").waitFor();
  return page;
}

describe("the first page of a running instance", () => {
  it("shows brand, state by part, addresses and the call, with nothing from elsewhere and nothing refused", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [instance.consoleUrl]);

    const answer = await page.goto(instance.consoleUrl);
    await page.getByText("Every part works.").waitFor();

    expect(answer?.headers()["content-security-policy"]).toContain("script-src 'self'");
    const brandName = await page.getByRole("banner").getByRole("paragraph").textContent();
    const config = await fetch(`${instance.consoleUrl}/config.json`);
    expect(await config.json()).toMatchObject({ brand: { name: brandName } });
    expect(await page.title()).toBe(brandName);
    const state = page.getByRole("region", { name: "State of this instance" });
    expect(await state.getByRole("listitem").count()).toBeGreaterThan(0);
    await state.getByText("Database", { exact: true }).waitFor();
    const addresses = page.getByRole("region", { name: "Addresses" });
    await addresses.getByText(instance.gatewayUrl).waitFor();
    const command = await page.getByRole("figure", { name: /Call the API/ }).textContent();
    expect(command).toContain(`"${instance.gatewayUrl}/v1/quote?`);
    const fonts = await page.evaluate<boolean>(
      `document.fonts.ready.then(() => document.fonts.check("14px 'Inter Variable'") && document.fonts.check("14px 'JetBrains Mono Variable'"))`,
    );
    expect(fonts).toBe(true);
    expect(trace).toEqual({
      consoleErrors: [],
      pageErrors: [],
      foreignRequests: [],
      policyViolations: [],
    });
    await page.close();
  });

  it.each(["light", "dark"] as const)("is clean for axe in the %s theme", async (theme) => {
    const page = await openFirstPage();
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    const background = await page.evaluate<string>(
      "getComputedStyle(document.documentElement).backgroundColor",
    );

    expect(await findAxeViolations(page)).toEqual([]);
    expect(readLightness(background) > 0.5).toBe(theme === "light");
    await page.close();
  });

  it("needs no sideways scrolling on a phone of 360 px", async () => {
    const page = await openFirstPage();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await measureOverflowPx(page)).toBe(0);
    await page.close();
  });

  it("leads to reference and description of the API that exist", async () => {
    const page = await openFirstPage();
    for (const name of ["API reference", "OpenAPI 3.1", "Documentation"]) {
      const href = await page.getByRole("link", { name }).getAttribute("href");
      const answer = await fetch(href ?? "");
      const isPageOfTheConsole = (await answer.text()).includes('<div id="root">');
      expect({ name, status: answer.status, isPageOfTheConsole }).toEqual({
        name,
        status: 200,
        isPageOfTheConsole: false,
      });
    }
    await page.close();
  });

  it("confirms a copied command, reached and pressed by keyboard alone", async () => {
    const page = await openFirstPage();
    const copy = page.getByRole("button", { name: "Copy Command: Create a tenant" });
    await pressTabUntilFocused(page, "Copy Command: Create a tenant");
    await page.keyboard.press("Enter");

    await copy.getByText("Copied").first().waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(
      'npm run turnpike -- tenants create --name "Acme"',
    );
    await page.close();
  });

  it("says that the state cannot be read when it cannot, and reads it again on request", async () => {
    const page = await openFirstPage();
    await page.route("**/health/ready", (route) => route.abort());
    const state = page.getByRole("region", { name: "State of this instance" });
    await state.getByText("The state could not be read.").waitFor({ timeout: 20_000 });

    await page.unroute("**/health/ready");
    await state.getByRole("button", { name: "Try again" }).click();
    await state.getByText("Every part works.").waitFor();
    await page.close();
  });
});

const TAB_PRESSES_MAX = 40;

async function pressTabUntilFocused(page: Page, label: string): Promise<void> {
  for (let presses = 0; presses < TAB_PRESSES_MAX; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string | null>(
      "document.activeElement?.getAttribute('aria-label') ?? null",
    );
    if (focused === label) {
      return;
    }
  }
  throw new Error(`${label} was not reached within ${String(TAB_PRESSES_MAX)} presses of Tab.`);
}

/** Chromium computes the tokens as `oklch(L C H)`. */
function readLightness(color: string): number {
  const lightness = /^oklch\(([\d.]+)/.exec(color)?.[1];
  if (lightness === undefined) {
    throw new Error(`${color} is not an oklch colour`);
  }
  return Number(lightness);
}
