import { hash, randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
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

describe("the life of an API key", () => {
  it("goes from creation by keyboard over use, disabling and rolling to its end", async () => {
    await expectAccessible();
    const first = await createByKeyboard("Worker");
    await expectKeptNowhere(first);

    const row = page.getByRole("row").filter({ hasText: `…${first.slice(-4)}` });
    expect(await call(first)).toEqual({ status: 200, code: undefined });
    await row.getByRole("img", { name: "1 request in 14 days, 1 today" }).waitFor();
    expect(await row.getByText("Never").count()).toBe(1);
    await expectAccessible();

    await act("Disable key");
    await expectAnswer(first, { status: 401, code: "DISABLED" });
    await row.getByText("Disabled").waitFor();
    await act("Enable key");
    await expectAnswer(first, { status: 200, code: undefined });
    await row.getByText("Active").waitFor();

    const second = await roll("Worker");
    await expectKeptNowhere(second);
    await row.getByText("Rolled").waitFor();
    await expectAnswer(second, { status: 200, code: undefined });
    expect(await call(first)).toEqual({ status: 200, code: undefined });

    await row.focus();
    await page.keyboard.press("Delete");
    await page.getByRole("alertdialog").getByRole("textbox").fill("Worker");
    await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith("/revoke")),
      page.keyboard.press("Enter"),
    ]);
    await expectAnswer(first, { status: 401, code: "REVOKED" });
    expect(await call(second)).toEqual({ status: 200, code: undefined });
    await row.getByText("Revoked").waitFor();

    await row.focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "Worker" });
    const denials = panel.getByRole("table", { name: "Denials by reason" });
    await denials.getByText("Key disabled").waitFor();
    const trail = panel.getByRole("region", { name: "Audit trail" });
    await trail.getByText("Revoked").waitFor();
    const titles = trail.getByRole("listitem").locator("p:first-child > span:first-child");
    expect(await titles.allTextContents()).toEqual([
      "Revoked",
      "Rolled",
      "Enabled",
      "Disabled",
      "Created",
    ]);
    await expectAccessible();
    await page.goBack();
    await panel.waitFor({ state: "hidden" });
  });

  it("finds a key by what its program shows of it, and shares the view by its address", async () => {
    const shown = await page.getByRole("row").filter({ hasText: "Active" }).textContent();
    const lastFour = /tp_live_\w+…(\w{4})/.exec(shown ?? "")?.[1] ?? "";
    await page.getByRole("textbox", { name: "Search keys" }).fill(lastFour);
    await page.waitForURL(({ searchParams }) => searchParams.has("q"));
    await page.getByText("1 key", { exact: true }).waitFor();
    const other = await browser.context.newPage();
    await other.goto(page.url());
    await other.getByText("1 key", { exact: true }).waitFor();
    expect(await other.getByRole("textbox", { name: "Search keys" }).inputValue()).toBe(lastFour);
    await other.close();
    await page.getByRole("textbox", { name: "Search keys" }).fill("nothing is called that");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("2 keys", { exact: true }).waitFor();
  });
});

describe("many keys", () => {
  it("come from a file that is rehearsed first, work as they did, and change together with Undo", async () => {
    const keys = ["old-one", "old-two"].map((name) => `${name}-${randomUUID()}`);
    const rows = keys.map((key) => `${hash("sha256", key, "hex")},${key.slice(0, 7)},k`);
    const file = ["hash,name,lastFour", ...rows, "none,broken,k"].join("\n");
    await page.goto(`${instance.consoleUrl}/api-keys?dialog=import`);
    const dialog = page.getByRole("dialog", { name: "Import keys" });
    await dialog.locator("input[type=file]").setInputFiles({
      name: "keys.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(file),
    });
    await dialog.getByText("3 of 3 rows checked; nothing is imported yet.").waitFor();
    expect(await dialog.getByRole("region", { name: "Refused rows" }).textContent()).toContain(
      "Line 4",
    );
    await expectAccessible();
    expect((await call(keys[0] ?? "")).status).toBe(401);
    await page.keyboard.press("Enter");
    await dialog.getByText("3 of 3 rows processed.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    for (const key of keys) {
      await expectAnswer(key, { status: 200, code: undefined });
    }

    await page.getByRole("row").filter({ hasText: "old-two" }).focus();
    await page.keyboard.press("Shift+ArrowDown");
    await expectAccessible();
    const changed = page.waitForResponse((answer) => answer.url().endsWith("/keys/bulk"));
    await page.keyboard.press("d");
    expect((await changed).status()).toBe(200);
    await expectAnswer(keys[0] ?? "", { status: 401, code: "DISABLED" });
    await page.getByText("2 keys are disabled.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("2 keys were changed back.").waitFor();
    await expectAnswer(keys[0] ?? "", { status: 200, code: undefined });
  });

  it("have networks and limits of their own, and nothing typed is lost", async () => {
    const row = page.getByRole("row").filter({ hasText: "old-one" });
    await row.focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog", { name: "Edit old-one" });
    await dialog.getByText("Networks", { exact: true }).click();
    await dialog.getByLabel("Addresses and ranges").fill("192.0.2.0/24\nnowhere");
    await dialog.getByText("Limits of this key").click();
    await dialog.getByRole("button", { name: "Add rate limit" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).click();
    await dialog.getByRole("button", { name: "Save key" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/nowhere/)
      .first()
      .waitFor();
    await expectAccessible();
    await dialog.getByLabel("Addresses and ranges").fill("192.0.2.0/24");
    await dialog.getByRole("button", { name: "Save key" }).click();
    await page.getByText("old-one was saved.").waitFor();
    await row.focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "old-one" });
    await panel.getByText("per-minute: 100 calls in 60 s", { exact: true }).waitFor();
    await panel.getByText("Networks: from anywhere → 192.0.2.0/24").waitFor();
  });
});

async function createByKeyboard(name: string): Promise<string> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or go to…" }).fill("create key");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Create key" });
  await dialog.waitFor();
  await expectAccessible();
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await page.keyboard.press("Enter");
  return await takeSecret();
}

async function roll(name: string): Promise<string> {
  await page
    .getByRole("button", { name: `Actions for ${name}` })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Roll key" }).click();
  const dialog = page.getByRole("dialog", { name: `Roll ${name}` });
  await dialog.getByRole("radio", { name: /^1 hour/ }).click();
  await expectAccessible();
  await dialog.getByRole("button", { name: "Roll key" }).click();
  return await takeSecret();
}

/** Reads the key that is shown this one time, with the call beside it, and says that it is kept. */
async function takeSecret(): Promise<string> {
  const secret = await page.getByRole("figure", { name: "API key" }).locator("code").textContent();
  expect(secret).toMatch(/^tp_live_[0-9A-Za-z]{38}$/);
  const sample = page.getByRole("figure", { name: "A call with this key" });
  expect(await sample.textContent()).toContain(`Bearer ${secret}`);
  await page.keyboard.press("Escape");
  await expectAccessible();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  return secret ?? "";
}

/** Chooses from the menu of the only row and waits until the server has answered. */
async function act(item: string): Promise<void> {
  await page.getByRole("button", { name: "Actions for Worker" }).click();
  const changed = page.waitForResponse((answer) => answer.request().method() === "PATCH");
  await page.getByRole("menuitem", { name: item }).click();
  expect((await changed).status()).toBe(200);
}

async function expectKeptNowhere(secret: string): Promise<void> {
  expect(await page.content()).not.toContain(secret);
  expect(page.url()).not.toContain(secret);
  const stored = await page.evaluate<string>(
    "JSON.stringify({ ...localStorage, ...sessionStorage, history: history.state })",
  );
  expect(stored).not.toContain(secret);
}

type Answer = { status: number; code: unknown };

async function call(key: string): Promise<Answer> {
  const answer = await fetch(`${instance.gatewayUrl}/v1/cities/berlin`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const body: unknown = await answer.json();
  return {
    status: answer.status,
    code: typeof body === "object" && body !== null ? Reflect.get(body, "code") : undefined,
  };
}

async function expectAnswer(key: string, answer: Answer): Promise<void> {
  await expect.poll(() => call(key)).toEqual(answer);
}

/** Both themes, and the width of a phone, as the page stands. */
async function expectAccessible(): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findAxeViolations(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await measureOverflowPx(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
}
