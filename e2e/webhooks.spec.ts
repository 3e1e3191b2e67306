import { pollUntil } from "@turnpike/testkit/poll-until";
import { startWebhookReceiver, type WebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { registerOperator } from "./support/register-operator.ts";

const instance = inject("sharedProduct");
let browser: TestBrowser;
let receiver: WebhookReceiver;
let page: Page;
let secret = "";

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  browser = await startBrowser();
  page = await browser.context.newPage();
  await registerOperator(page, instance);
  await page.goto(`${instance.consoleUrl}/tenants`);
  await page.getByRole("button", { name: "Create tenant", exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create a tenant" });
  await dialog.getByLabel("Name").fill("Hook Harbour");
  await dialog.getByRole("button", { name: "Create tenant" }).click();
  await page.getByText("Hook Harbour is ready.").waitFor();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await receiver?.close();
});

const actions = () => page.getByRole("button", { name: `Actions for ${receiver.url}/in` });
const choose = async (name: string) => {
  await actions().click();
  await page.getByRole("menuitem", { name }).click();
};

/** Waits for the next message, and verifies it as a receiver would. */
async function verifyMessage(index: number): Promise<{ type: string; data: object }> {
  const message = await pollUntil("a message arrives", () => receiver.received[index]);
  return new Webhook(secret).verify(message.body, message.headers) as {
    type: string;
    data: object;
  };
}

describe("a webhook", () => {
  it("is refused where it leads into a private network that is not listed", async () => {
    await page.getByRole("tab", { name: "Webhooks" }).click();
    await page.getByRole("button", { name: "Add webhook" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a webhook" });
    await dialog.getByLabel("Address").fill("https://169.254.169.254/latest");
    await dialog.getByRole("button", { name: "Add webhook" }).click();
    await dialog.getByText("a network that is not public").first().waitFor();
    expect(await dialog.getByLabel("Address").inputValue()).toBe("https://169.254.169.254/latest");
    await dialog.getByLabel("Address").fill(`${receiver.url}/in`);
    await dialog.getByRole("button", { name: "Add webhook" }).click();
    const shown = page.getByRole("dialog", { name: "Your webhook’s secret" });
    secret = (await shown.getByText(/^whsec_/).textContent()) ?? "";
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await shown.getByRole("button", { name: /stored/i }).click();
    await page.getByText("Every event").waitFor();
  });

  it("takes a test, verified by the library of the standard, and its log says what it answered", async () => {
    await choose("Send a test");
    expect((await verifyMessage(0)).type).toBe("ping");
    await page
      .getByRole("row")
      .filter({ hasText: `${receiver.url}/in` })
      .click();
    const row = page.getByRole("row").filter({ hasText: "ping" });
    await row.getByText("Delivered").waitFor();
    await row.click();
    const sheet = page.getByRole("dialog", { name: "Delivery" });
    await sheet.getByText(/^Answered 200 after \d+ ms$/).waitFor();
    await sheet.getByText("thanks").waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await sheet.getByRole("button", { name: "Send again" }).click();
    await pollUntil("it comes again", () => receiver.received.length === 2);
    expect(receiver.received[1]?.headers["webhook-id"]).toBe(
      receiver.received[0]?.headers["webhook-id"],
    );
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
  });

  it("hears of what happens, and of a failure the log tells", async () => {
    receiver.answer = (res) => res.writeHead(500).end("out of order");
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Hook Haven");
    await page.getByRole("button", { name: "Save changes" }).click();
    const event = await verifyMessage(2);
    expect(event).toMatchObject({
      type: "tenant.updated",
      data: { tenant: { name: "Hook Haven" } },
    });
    await page.getByRole("tab", { name: "Webhooks" }).click();
    await page
      .getByRole("row")
      .filter({ hasText: `${receiver.url}/in` })
      .click();
    const row = page.getByRole("row").filter({ hasText: "tenant.updated" });
    await row.getByText("500").waitFor();
  });

  it("is clean for axe in both themes, and at 360 px nothing is out of sight", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findAxeViolations(page, { rules: rulesIn(colorScheme) })).toEqual([]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await measureOverflowPx(page)).toBe(0);
    expect(await findAxeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("has its secret replaced, is disabled and deleted", async () => {
    await choose("Replace secret");
    await page.getByRole("button", { name: "Replace secret" }).click();
    const shown = page.getByRole("dialog", { name: "Your webhook’s secret" });
    const next = (await shown.getByText(/^whsec_/).textContent()) ?? "";
    expect(next).not.toBe(secret);
    await shown.getByRole("button", { name: /stored/i }).click();
    await choose("Disable webhook");
    await page.getByText("The webhook is disabled.").waitFor();
    await choose("Delete webhook");
    const dialog = page.getByRole("alertdialog").or(page.getByRole("dialog"));
    await dialog.getByRole("textbox").fill("delete");
    await dialog.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("No webhooks yet").waitFor();
  });
});
