import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";

let instance: Instance;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  instance = await startInstance();
  browser = await startBrowser();
  page = await browser.context.newPage();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
});

describe("from the setup link to the first metered call", () => {
  it("claims the instance, makes a tenant and a key, and sees the call it made; the link works no second time", async () => {
    const serviceKey = await claim();
    const apiKey = await createTenantAndKey("Acme");

    const status = await runShownCall(apiKey);
    expect(status).toBe(200);

    const row = page.getByRole("row").filter({ hasText: "200" });
    await row.waitFor({ timeout: 30_000 });
    expect(await row.getByRole("cell").allInnerTexts()).toEqual(["200", "1", "100.0%"]);
    await page.getByText(/^1 of [\d,]+ used/).waitFor({ timeout: 30_000 });
    await expectAccessible();

    await claimAgain();
    await unlock(serviceKey);
    await page.getByText("No mails yet.").waitFor();
  });
});

async function claim(): Promise<string> {
  await page.goto(instance.setupLink());
  await page.getByRole("button", { name: "Claim instance" }).click();
  const serviceKey = await readSecret(page.getByRole("figure", { name: "Service key" }));
  expect(serviceKey).toMatch(/^tp_svc_[0-9A-Za-z]{38}$/);
  expect(new URL(page.url()).hash).toBe("");
  await expectAccessible();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await expect.poll(() => page.content()).not.toContain(serviceKey);
  await page.getByText("No tenants yet.").waitFor();
  await expectAccessible();
  return serviceKey;
}

async function createTenantAndKey(tenantName: string): Promise<string> {
  await page.getByLabel("Tenant name").fill(tenantName);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: tenantName, exact: true }).waitFor();
  await page.getByText("No calls yet.").waitFor();
  await page.getByLabel("Key name").fill("First key");
  await page.keyboard.press("Enter");
  const key = await readSecret(page.getByRole("figure", { name: "API key" }));
  expect(key).toMatch(/^tp_live_[0-9A-Za-z]{38}$/);
  return key;
}

/** Sends exactly what the page tells the person to send, without needing curl on the machine. */
async function runShownCall(apiKey: string): Promise<number> {
  const command = await readSecret(page.getByRole("figure", { name: /Call the API/ }));
  const [, name, value, url] = /^curl -H "([^:]+): ([^"]+)" "([^"]+)"$/.exec(command) ?? [];
  expect(value).toBe(`Bearer ${apiKey}`);
  const answer = await fetch(url ?? "", { headers: { [name ?? ""]: value ?? "" } });
  await answer.text();
  return answer.status;
}

async function claimAgain(): Promise<void> {
  const another = await browser.context.newPage();
  await another.goto(instance.setupLink());
  await another.getByRole("button", { name: "Claim instance" }).click();
  // What the API says of the same code; the browser does not keep the body of the page's own call.
  const answer = await fetch(`${instance.consoleUrl}/v1/setup/claim`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: new URL(instance.setupLink()).hash.replace("#setup=", "") }),
  });
  const problem: unknown = await answer.json();
  expect(problem).toMatchObject({ error: expect.any(String), code: expect.any(String) });
  const alert = another.getByRole("alert").filter({ hasText: "The instance was not claimed." });
  await alert.waitFor();
  const [what, why] = await alert.getByRole("paragraph").allTextContents();
  expect(what).toBe("The instance was not claimed.");
  expect(problem).toMatchObject({ error: why });
  expect(new URL(another.url()).hash).toBe("");
  expect(await findAxeViolations(another)).toEqual([]);
  await another.close();
}

/** The key lives in memory only: a reload asks for it, refuses a wrong one and takes the right one. */
async function unlock(serviceKey: string): Promise<void> {
  await page.reload();
  const field = page.getByLabel("Service key");
  await field.fill("tp_svc_00000000000000000000000000000000000000");
  await page.keyboard.press("Enter");
  const alert = page.getByRole("alert").filter({ hasText: /\w/ });
  await alert.waitFor();
  expect(await field.inputValue()).toContain("tp_svc_0000");
  await field.fill(serviceKey);
  await page.getByRole("button", { name: "Use key" }).click();
  await page.getByRole("button", { name: /Acme/ }).waitFor();
}

/** Both themes and the width of a phone, as the page stands. */
async function expectAccessible(): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await findAxeViolations(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await measureOverflowPx(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
}

async function readSecret(figure: Locator): Promise<string> {
  return (await figure.locator("code").textContent()) ?? "";
}
