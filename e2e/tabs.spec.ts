import type { Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";

const TABS = 3;
/** Without care for each other, two tabs that begin together end the session at the first time. */
const ROUNDS = 4;

const instance = inject("sharedProduct");
let browser: TestBrowser;
let tabs: Page[];
const answers: Response[] = [];

const isSignedIn = (page: Page) =>
  page.getByRole("heading", { level: 1 }).first().waitFor({ state: "visible" });

beforeAll(async () => {
  browser = await startBrowser();
  const first = await browser.context.newPage();
  await registerPerson(first, `${instance.consoleUrl}/register`, makePerson());
  tabs = [first];
  while (tabs.length < TABS) {
    const tab = await browser.context.newPage();
    await tab.goto(`${instance.consoleUrl}/overview`);
    await isSignedIn(tab);
    tabs.push(tab);
  }
  browser.context.on("response", (answer) => answers.push(answer));
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

const pathOf = (answer: Response) => new URL(answer.url()).pathname;

describe("tabs of one person that are opened at the same moment", () => {
  it("stay signed in: each token is used once, and no tab has to sign in again", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(tabs.map((tab) => tab.reload()));
      await Promise.all(tabs.map(isSignedIn));
    }
    const renewals = answers.filter((answer) => pathOf(answer) === "/idp/token");
    expect(renewals.length).toBeGreaterThanOrEqual(TABS * ROUNDS);
    expect(renewals.filter((answer) => !answer.ok()).map((answer) => answer.status())).toEqual([]);
    const tokens = renewals.map((answer) =>
      new URLSearchParams(answer.request().postData() ?? "").get("refresh_token"),
    );
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(answers.filter((answer) => pathOf(answer).startsWith("/idp/auth"))).toEqual([]);
  });

  it("show a logo that one of them uploads, drawn anew", async () => {
    const [first] = tabs;
    await first?.goto(`${instance.consoleUrl}/tenants`);
    await first?.getByRole("button", { name: "Create tenant", exact: true }).first().click();
    const dialog = first?.getByRole("dialog", { name: "Create a tenant" });
    await dialog?.getByLabel("Name").fill("North Tabs");
    await dialog?.getByRole("button", { name: "Create tenant" }).click();
    await first?.getByText("North Tabs is ready.").waitFor();
    await first?.goto(`${instance.consoleUrl}/tenants?tab=settings`);
    // A drawing: what is served is a picture of it.
    const buffer = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="#1e6fd9"/></svg>',
    );
    await first
      ?.getByLabel(/^Choose a picture/)
      .setInputFiles({ name: "logo.svg", mimeType: "image/svg+xml", buffer });
    await first?.getByRole("img", { name: "Preview of the logo" }).waitFor();
    await first?.getByRole("button", { name: "Save logo" }).click();
    await first?.getByText("The logo was saved.").waitFor();
    for (const tab of tabs) {
      await tab.goto(`${instance.consoleUrl}/analytics`);
      const picture = tab.locator('img[src*="/v1/logos/"]').first();
      await picture.waitFor();
      // Shown as well: the policy of the page allows it.
      await expect.poll(() => picture.evaluate((one) => Reflect.get(one, "naturalWidth"))).toBe(64);
    }
  });

  it("are all signed out when one of them is", async () => {
    const [first, ...others] = tabs;
    await first?.getByRole("button", { name: /^Account/ }).click();
    await first?.getByRole("menuitem", { name: "Sign out" }).click();
    await Promise.all(others.map((tab) => tab.waitForURL(({ pathname }) => pathname === "/login")));
  });
});
