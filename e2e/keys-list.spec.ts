import { hash, randomUUID } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { openKeysOfNewTenant } from "./support/open-keys.ts";

/** More than a page holds. */
const KEYS = 40;

const instance = inject("sharedProduct");
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser({ widthPx: 1280, heightPx: 800 });
  page = await browser.context.newPage();
  await openKeysOfNewTenant(page, instance.consoleUrl);
  await importKeys();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

describe("a long list of keys", () => {
  it("has its menus in reach at every width, and cuts no column off", async () => {
    await open("?sort=name");
    const menu = page.getByRole("button", { name: "Actions for service-03", exact: true });
    for (const widthPx of [1440, 1280, 1024, 800]) {
      await page.setViewportSize({ width: widthPx, height: 800 });
      expect([widthPx, await measureHiddenPx()]).toEqual([widthPx, 0]);
      await menu.click();
      await page.getByRole("menuitem", { name: "Open details" }).waitFor();
      await page.keyboard.press("Escape");
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("columnheader", { name: "Created" }).waitFor();
    await page.setViewportSize({ width: 800, height: 800 });
    await page.getByRole("columnheader", { name: "Last used" }).waitFor();
    expect(await page.getByRole("columnheader", { name: "Created" }).count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("offers what can be done with a choice wherever it is made, and moves no row", async () => {
    await open("?sort=name");
    const box = rowOf("service-03").getByRole("checkbox");
    const before = await box.boundingBox();
    await box.click();
    expect(await box.boundingBox()).toEqual(before);
    await expectInView(page.getByRole("button", { name: "Revoke 1 key" }));
    await expectAccessible();
    await page.keyboard.press("Space");
    await page.getByRole("region", { name: "Selection" }).waitFor({ state: "detached" });

    await page.setViewportSize({ width: 360, height: 740 });
    await rowOf("service-20").getByRole("checkbox").click();
    await expectInView(page.getByRole("button", { name: "Revoke 1 key" }));
    expect(await measureOverflowPx(page)).toBe(0);
    await page.getByRole("button", { name: "Clear selection" }).click();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("shows the next page from its first row on", async () => {
    await open("?sort=name");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2, 15 keys").waitFor();
    await expectInView(page.getByRole("columnheader", { name: "Name" }));
    const previous = page.getByRole("button", { name: "Previous" });
    await previous.focus();
    await page.keyboard.press("Enter");
    await page.getByText("Page 1, 25 keys").waitFor();
    expect(await readFocus()).toBe("Previous");
  });

  it("leads from a cursor that is none to the first page", async () => {
    await page.goto(`${instance.consoleUrl}/api-keys?after=bm9uZQ`);
    await page.getByRole("button", { name: "Go to the first page" }).click();
    await page.getByText("Page 1, 25 keys").waitFor();
  });
});

describe("the keyboard", () => {
  it("is on the same key after it was rolled, though the new one comes in above it", async () => {
    await page.goto(`${instance.consoleUrl}/api-keys?q=service-0`);
    await rowOf("service-05").focus();
    await page.keyboard.press("r");
    await page.getByRole("dialog").getByRole("button", { name: "Roll key" }).click();
    const listed = page.waitForResponse((answer) => /\/keys\?/.test(answer.url()));
    const stored = page.getByRole("button", { name: "I have stored it" });
    await stored.waitFor();
    await listed;
    await page.getByRole("row", { includeHidden: true }).filter({ hasText: "Rolled" }).waitFor();
    await stored.click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(readFocusedRow).toContain("service-05");
    await page.keyboard.press("e");
    await page.getByRole("dialog", { name: "Edit service-05" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("goes on at the next row when a change takes one out of the view, and back from Undo", async () => {
    await open("?state=active&sort=name");
    await rowOf("service-07").focus();
    await page.keyboard.press("d");
    await page.getByText("service-07 is disabled.").waitFor();
    await rowOf("service-07").waitFor({ state: "detached" });
    await expect.poll(readFocusedRow).toContain("service-08");
    await page.keyboard.press("Alt+T");
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("service-07 is enabled.").waitFor();
    await expect.poll(readFocusedRow).toContain("service-08");
  });

  it("goes on at the next row when its sheet closes and the row has left meanwhile", async () => {
    await open("?state=active&sort=name");
    await rowOf("service-11").focus();
    await page.keyboard.press("Enter");
    const sheet = page.getByRole("dialog", { name: "service-11" });
    await sheet.getByRole("button", { name: "Disable" }).click();
    await sheet.getByText("Disabled", { exact: true }).first().waitFor();
    await page
      .getByRole("row", { includeHidden: true })
      .filter({ hasText: "service-11" })
      .waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await expect.poll(readFocusedRow).toContain("service-12");
  });
});

describe("without a connection", () => {
  it("a change fails at once with a reason, and does not happen later", async () => {
    await open("?sort=name");
    await browser.context.setOffline(true);
    await rowOf("service-15").focus();
    await page.keyboard.press("d");
    await page.getByText(/service-15 was not disabled: The server could not be reached/).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.method()));
    await browser.context.setOffline(false);
    await page.reload();
    await rowOf("service-15").getByText("Active").waitFor();
    expect(asked).not.toContain("PATCH");
  });
});

async function importKeys(): Promise<void> {
  const rows = Array.from({ length: KEYS }, (_, place) => {
    const number = String(place).padStart(2, "0");
    const name = place === 0 ? "A service with a name that is rather long" : `service-${number}`;
    const end = new Date(Date.now() + 28 * 86_400_000).toISOString();
    return `${hash("sha256", randomUUID(), "hex")},${name},tp_live_ab,xy${number},${end}`;
  });
  await page.goto(`${instance.consoleUrl}/api-keys?dialog=import`);
  const dialog = page.getByRole("dialog", { name: "Import keys" });
  await dialog.locator("input[type=file]").setInputFiles({
    name: "keys.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(["hash,name,start,lastFour,expiresAt", ...rows].join("\n")),
  });
  await dialog.getByRole("button", { name: `Import ${String(KEYS)} keys` }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
}

async function open(search = ""): Promise<void> {
  await page.goto(`${instance.consoleUrl}/api-keys${search}`);
  await page.getByText("Page 1, 25 keys").waitFor();
}

function rowOf(name: string): Locator {
  return page.getByRole("row").filter({ hasText: name }).first();
}

/** By how many pixels the table is wider than its place. */
async function measureHiddenPx(): Promise<number> {
  return await page.getByRole("table", { name: "API keys" }).evaluate((table) => {
    const place = table.parentElement;
    return place === null ? -1 : place.scrollWidth - place.clientWidth;
  });
}

async function expectInView(part: Locator): Promise<void> {
  const box = await part.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  expect(box?.y).toBeGreaterThan(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
}

async function readFocus(): Promise<string> {
  return await page.evaluate<string>("document.activeElement.textContent");
}

/** What the row says that has the focus itself; empty when no row has. */
async function readFocusedRow(): Promise<string> {
  return await page.evaluate<string>(
    "document.activeElement.tagName === 'TR' ? document.activeElement.textContent : ''",
  );
}

/** Both themes, as the page stands. */
async function expectAccessible(): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findAxeViolations(page)).toEqual([]);
  }
}
