import type { Dialog, Locator, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { openKeysOfNewTenant } from "./support/open-keys.ts";

const instance = inject("sharedProduct");
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.context.newPage();
  await openKeysOfNewTenant(page, instance.consoleUrl);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

describe("a key that is just being made", () => {
  it("is shown, after any key pressed before the answer comes", async () => {
    await openCreate();
    await page.getByLabel("Name", { exact: true }).fill("Worker");
    const answer = await holdAnswers(/\/keys$/);
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.getByText("Creating…").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("alertdialog").count()).toBe(0);
    await page.goBack();
    await stay();
    await answer();
    const secret = await readSecret();
    await goBackAndStay();
    expect(await askedBeforeReload()).toBe(true);
    expect(await readSecret()).toBe(secret);
    await store();
    expect(await askedBeforeReload()).toBe(false);
  });

  it("is shown after rolling as well, on a slow network, with the old one gone at once", async () => {
    await openRoll();
    await page.getByRole("radio", { name: /Not at all/ }).click();
    const answer = await holdAnswers(/\/roll$/);
    await page.keyboard.press("Enter");
    await page.getByText("Rolling…").waitFor();
    await page.keyboard.press("Escape");
    await answer();
    const secret = await readSecret();
    await page.keyboard.press("Escape");
    await goBackAndStay();
    expect(await readSecret()).toBe(secret);
    expect(await findAxeViolations(page)).toEqual([]);
    await store();
  });

  it("is gone after leaving without it: the next visit begins with a form", async () => {
    await openCreate();
    await page.getByLabel("Name", { exact: true }).fill("Forgotten");
    await page.keyboard.press("Enter");
    const secret = await readSecret();
    await page.goBack();
    await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await openCreate();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("");
    expect(await page.content()).not.toContain(secret);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });
});

describe("the form of a key", () => {
  it("asks before Back and before a reload throw away what was typed, and lets go of it once agreed", async () => {
    await openCreate();
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Typed");
    await page.goBack();
    const question = page.getByRole("alertdialog", { name: "Discard your changes?" });
    await question.getByRole("button", { name: "Keep editing" }).click();
    await question.waitFor({ state: "hidden" });
    await page.waitForURL(({ searchParams }) => searchParams.get("dialog") === "create");
    expect(await name.inputValue()).toBe("Typed");
    expect(await askedBeforeReload()).toBe(true);
    await page.goBack();
    await question.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.waitForURL(({ searchParams }) => !searchParams.has("dialog"));
  });

  it("stays on the screen when it is taller, and sends by Enter on a choice", async () => {
    await page.setViewportSize({ width: 1280, height: 600 });
    await openCreate();
    const dialog = page.getByRole("dialog");
    for (const fold of ["Networks", "Limits of this key", "Management scopes", "Metadata"]) {
      await dialog.getByText(fold, { exact: true }).first().click();
    }
    expect(await measureScrollPx(dialog)).toBe(0);
    const title = dialog.getByText("Create key").first();
    const before = await title.boundingBox();
    await dialog.getByLabel("Name", { exact: true }).hover();
    await page.mouse.wheel(0, 4_000);
    expect(await title.boundingBox()).toEqual(before);
    await dialog.getByRole("radio", { name: /Live/ }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("Give the key a name.").first().waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("takes no number for another, and says which one is wrong in a fold that was closed again", async () => {
    await openCreate();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Limited");
    const fold = dialog.getByText("Limits of this key");
    await fold.click();
    await dialog.getByRole("button", { name: "Add rate limit" }).click();
    const calls = dialog.getByLabel("Calls", { exact: true });
    for (const typed of ["-12.7", "1.5", "0", "99,999,999,999"]) {
      await calls.fill(typed);
      await fold.click();
      await dialog.getByRole("button", { name: "Create key" }).click();
      await calls.waitFor();
      expect(await calls.inputValue()).toBe(typed);
      expect(await calls.getAttribute("aria-invalid")).toBe("true");
      await dialog.getByText("Rate limit 1, calls: A whole number from 1 to 1,000,000.").waitFor();
    }
    await calls.fill("12");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await readSecret();
    await store();
  });
});

async function openCreate(): Promise<void> {
  await page.getByRole("button", { name: "Create key" }).first().click();
  await page.getByRole("dialog", { name: "Create key" }).waitFor();
}

async function openRoll(): Promise<void> {
  await page.getByRole("button", { name: "Actions for Worker" }).first().click();
  await page.getByRole("menuitem", { name: "Roll key" }).click();
  await page.getByRole("dialog", { name: "Roll Worker" }).waitFor();
}

/** Keeps the next answer back; gives what lets it through. */
async function holdAnswers(path: RegExp): Promise<() => Promise<void>> {
  let free: () => void = () => undefined;
  const isFree = new Promise<void>((resolve) => {
    free = resolve;
  });
  const hold = async (route: Route) => {
    if (route.request().method() === "POST") {
      await isFree;
    }
    await route.continue();
  };
  const matches = (url: URL) => path.test(url.pathname);
  await page.route(matches, hold);
  return async () => {
    const answered = page.waitForResponse((response) => matches(new URL(response.url())));
    free();
    await answered;
    await page.unroute(matches, hold);
  };
}

async function goBackAndStay(): Promise<void> {
  await page.goBack();
  await stay();
}

async function stay(): Promise<void> {
  const question = page.getByRole("alertdialog", { name: "Leave without saving the secret?" });
  await question.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "hidden" });
  await page.waitForURL(({ pathname }) => pathname === "/api-keys");
}

/** Whether the browser asks before a reload; the page stays where it does. */
async function askedBeforeReload(): Promise<boolean> {
  let isAsked = false;
  const refuse = async (dialog: Dialog) => {
    isAsked = dialog.type() === "beforeunload";
    await dialog.dismiss();
  };
  page.on("dialog", refuse);
  await page.evaluate("location.reload()").catch(() => undefined);
  await page.getByRole("heading", { name: "API keys", includeHidden: true }).first().waitFor();
  page.off("dialog", refuse);
  return isAsked;
}

async function readSecret(): Promise<string> {
  const secret = await page.getByRole("figure", { name: "API key" }).locator("code").textContent();
  expect(secret).toMatch(/^tp_live_[0-9A-Za-z]{38}$/);
  return secret ?? "";
}

async function store(): Promise<void> {
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

/** How far what is around a layer scrolls, in pixels. */
async function measureScrollPx(dialog: Locator): Promise<number> {
  return await dialog.evaluate(({ parentElement }) =>
    parentElement === null ? 0 : parentElement.scrollHeight - parentElement.clientHeight,
  );
}
