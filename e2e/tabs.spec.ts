import type { Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { makePerson, registerPerson, signInHere } from "./support/sign-in.ts";

const TABS = 3;
/** Without care for each other, two tabs that begin together end the session at the first time. */
const ROUNDS = 4;

const instance = inject("sharedProduct");
let browser: TestBrowser;
let tabs: Page[];
const person = makePerson();
const answers: Response[] = [];

const isSignedIn = (page: Page) =>
  page.getByRole("heading", { level: 1 }).first().waitFor({ state: "visible" });

beforeAll(async () => {
  browser = await startBrowser();
  const first = await browser.context.newPage();
  await registerPerson(first, `${instance.consoleUrl}/register`, person);
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

  it("merge by field what was changed in them without a network with what another machine wrote", async () => {
    const openViews = (tab: Page) =>
      tab.getByRole("button", { name: /^(Views|North|South)/ }).click();
    const showsView = (tab: Page, name: string) =>
      tab.getByRole("button", { name, exact: true }).waitFor();
    const [away, beside] = tabs;
    if (away === undefined || beside === undefined) {
      throw new Error("There are no tabs.");
    }
    await openViews(away);
    await away.getByRole("menuitem", { name: "Save as new view…" }).click();
    await away.getByLabel("Name", { exact: true }).fill("North");
    await away.getByRole("button", { name: "Save view" }).click();
    await showsView(away, "North");
    // The tab beside it has it without a reload.
    await openViews(beside);
    await beside.getByRole("menuitem", { name: "North" }).click();
    await showsView(beside, "North");

    await using elsewhere = await startBrowser();
    const other = await elsewhere.context.newPage();
    await other.goto(`${instance.consoleUrl}/login`);
    await signInHere(other, person);
    await other.goto(`${instance.consoleUrl}/analytics`);
    await openViews(other);
    await other.getByRole("menuitem", { name: "North" }).click();
    await showsView(other, "North");

    // What a person prefers is theirs on every machine, at once.
    await other.getByRole("radio", { name: "Dark" }).click();
    for (const tab of [away, beside]) {
      await tab.locator('html[data-theme="dark"]').waitFor();
    }
    await away.getByRole("radio", { name: "Light" }).click();
    await other.locator('html[data-theme="light"]').waitFor();

    await browser.context.setOffline(true);
    await away.getByText(/^You are offline/).waitFor();
    await openViews(away);
    await away.getByRole("menuitem", { name: "Rename or share…" }).click();
    await away.getByLabel("Name", { exact: true }).fill("South");
    await away.getByRole("button", { name: "Save view" }).click();
    await showsView(away, "South");
    // It waits for both tabs: the database is the browser's.
    for (const tab of [away, beside]) {
      await tab.getByText("You are offline. 1 change waits in this browser.").waitFor();
    }

    await other.getByRole("button", { name: "Compare with previous" }).click();
    await other.getByRole("button", { name: "North (changed)" }).click();
    await other.getByRole("menuitem", { name: "Update North" }).click();
    await other.getByText("The view was updated.").waitFor();

    await browser.context.setOffline(false);
    // The name of the one and the comparison of the other: the page itself still shows none.
    for (const tab of [away, beside]) {
      await showsView(tab, "South (changed)");
      await tab.getByText(/change waits/).waitFor({ state: "hidden" });
    }
    await other.reload();
    await showsView(other, "South");
  });

  it("are all signed out when one of them is", async () => {
    const [first, ...others] = tabs;
    await first?.getByRole("button", { name: /^Account/ }).click();
    await first?.getByRole("menuitem", { name: "Sign out" }).click();
    await Promise.all(others.map((tab) => tab.waitForURL(({ pathname }) => pathname === "/login")));
  });
});
