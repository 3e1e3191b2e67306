import { CloudEvent, emitterFor, httpTransport, Mode } from "cloudevents";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { registerOperator } from "./support/register-operator.ts";

const instance = inject("sharedProduct");
let browser: TestBrowser;
let page: Page;
let serviceKey = "";
let tenantId = "";

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.context.newPage();
  await registerOperator(page, instance);
  await page.goto(`${instance.consoleUrl}/tenants`);
  await page.getByRole("button", { name: "Create tenant", exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create a tenant" });
  await dialog.getByLabel("Name").fill("Token Town");
  await dialog.getByRole("button", { name: "Create tenant" }).click();
  await page.getByText("Token Town is ready.").waitFor();
  await page.goto(`${instance.consoleUrl}/operator/service-keys`);
  await page.getByRole("button", { name: "Create service key" }).click();
  const keys = page.getByRole("dialog", { name: "Create a service key" });
  await keys.getByLabel("Name").fill("Model proxy");
  await keys.getByRole("checkbox", { name: /events: write/i }).check();
  await keys.getByRole("checkbox", { name: /usage: read/i }).check();
  await keys.getByRole("checkbox", { name: /tenants: read/i }).check();
  await keys.getByRole("button", { name: "Create service key" }).click();
  const shown = page.getByRole("dialog", { name: "Your service key" });
  serviceKey = (await shown.getByText(/^tp_\w+$/).textContent()) ?? "";
  await shown.getByRole("button", { name: /stored/i }).click();
  const { items } = await ask<{ items: { tenantId: string }[] }>("/v1/tenants?q=token-town");
  tenantId = items[0]?.tenantId ?? "";
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

async function ask<Reply>(path: string): Promise<Reply> {
  const reply = await fetch(instance.consoleUrl + path, {
    headers: { authorization: `Bearer ${serviceKey}` },
  });
  expect(reply.status, path).toBe(200);
  return (await reply.json()) as Reply;
}

/** Sends an event as a program does that knows nothing but the SDK of CloudEvents. */
async function send(data: object, subject = tenantId): Promise<void> {
  const emit = emitterFor(httpTransport(`${instance.consoleUrl}/v1/events`), { mode: Mode.BINARY });
  await emit(new CloudEvent({ type: "llm.call", source: "/proxy", subject, data }), {
    headers: { authorization: `Bearer ${serviceKey}` },
  });
}

async function countedTokens(): Promise<unknown> {
  const report = await ask<{ totals: Record<string, unknown> }>(
    `/v1/tenants/${tenantId}/usage?measures=meter:tokens`,
  );
  return report.totals["meter:tokens"];
}

const sheet = () => page.getByRole("dialog", { name: "Tokens", exact: true });
const form = () => page.getByRole("dialog", { name: /^(Create a meter|Change Tokens)$/ });

describe("a meter, from its definition to its second version", () => {
  it("is refused field by field, with nothing typed lost", async () => {
    await page.goto(`${instance.consoleUrl}/plans?tab=meters`);
    await page.getByRole("button", { name: "Create meter" }).click();
    await form().getByLabel("Name").first().fill("Tokens");
    expect(await form().getByLabel("Id").inputValue()).toBe("tokens");
    await form().getByLabel("Value").fill("tokens");
    await form().getByRole("button", { name: "Publish meter" }).click();
    await form().getByText("The meter was not published.").waitFor();
    const pointer = form().getByLabel("Value");
    expect(await pointer.getAttribute("aria-invalid")).toBe("true");
    expect(await form().getByLabel("Event type").getAttribute("aria-invalid")).toBe("true");
    expect(await form().getByLabel("Name").first().inputValue()).toBe("Tokens");
    expect(await pointer.inputValue()).toBe("tokens");
    expect(await findAxeViolations(page)).toEqual([]);
  });

  it("is tried on recent events, of which there are none yet, and published", async () => {
    await form().getByLabel("Value").fill("/tokens");
    await form().getByLabel("Event type").fill("llm.call");
    await form().getByLabel("Unit").fill("token");
    await form().getByRole("button", { name: "Try on recent events" }).click();
    await form().getByText("No event of this type was recorded in the last 35 days.").waitFor();
    await form().getByRole("button", { name: "Try a sample event instead" }).click();
    await form().getByRole("button", { name: "Try on this event" }).click();
    await form().getByText("42", { exact: true }).waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await form().getByRole("button", { name: "Publish meter" }).click();
    await page.getByText("Tokens is counting now.").waitFor();
    await sheet().getByText("Waiting for the first event").waitFor();
    expect(new URL(page.url()).searchParams.get("meter")).toBe("tokens");
  });

  it("says that events arrive, without a reload, and counts them", async () => {
    await send({ tokens: 100, total: 5, model: "large" });
    await send({ tokens: 20, total: 6, model: "small" });
    await sheet().getByText("Receiving events").waitFor();
    await sheet()
      .getByText(/^2 in 24 hours/)
      .waitFor();
    expect(await countedTokens()).toBe("120");
    expect(await findAxeViolations(page)).toEqual([]);
  });

  it("takes the event that its own sample sends", async () => {
    const code = (await sheet().getByRole("figure").locator("code").first().textContent()) ?? "";
    const body = /-d '([^']+)'/s.exec(code)?.[1] ?? "";
    expect(JSON.parse(body)).toMatchObject({ type: "llm.call", subject: tenantId });
    const reply = await fetch(`${instance.consoleUrl}/v1/events`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${serviceKey}`,
        "content-type": "application/cloudevents+json",
      },
      body,
    });
    expect(reply.status).toBe(200);
    expect(await countedTokens()).toBe("162");
  });

  it("is changed: what changes is said, tried on what came, and what was counted does not move", async () => {
    await sheet().getByRole("button", { name: "Change meter" }).click();
    expect(await form().getByRole("button", { name: "Publish version 2" }).isDisabled()).toBe(true);
    await form().getByText("To count in another way, create a new meter.").waitFor();
    await form().getByLabel("Value").fill("/total");
    await form().getByRole("button", { name: "Add dimension" }).click();
    const dimension = form().getByRole("group", { name: "Dimension 1" });
    await dimension.getByLabel("Name").fill("model");
    await dimension.getByLabel("Path").fill("/model");
    await form().getByText("This creates version 2.").waitFor();
    await form().getByRole("button", { name: "Try on recent events" }).click();
    const rehearsal = form().getByRole("region", { name: "Try it before publishing" });
    await rehearsal.getByText("3 events").waitFor();
    await rehearsal.getByText("11", { exact: true }).waitFor();
    await rehearsal.getByText("1 event", { exact: true }).waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await form().getByRole("button", { name: "Publish version 2" }).click();
    await page.getByText("Tokens now counts by version 2.").waitFor();
    expect(await countedTokens()).toBe("162");
    await send({ tokens: 1000, total: 7, model: "large" });
    expect(await countedTokens()).toBe("169");
    await sheet().getByText("Version 2").waitFor();
    await sheet().getByText("Version 1").waitFor();
  });

  it("is clean for axe in both themes, and at 360 px nothing is out of sight", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findAxeViolations(page, { rules: rulesIn(colorScheme) })).toEqual([]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await measureOverflowPx(page)).toBe(0);
    await page.keyboard.press("Escape");
    await sheet().waitFor({ state: "hidden" });
    expect(await measureOverflowPx(page)).toBe(0);
    expect(await findAxeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("is opened and left by keyboard", async () => {
    const row = page.getByRole("row").filter({ hasText: "llm.call" });
    await row.focus();
    await page.keyboard.press("Enter");
    await sheet().getByText("Receiving events").waitFor();
    await page.keyboard.press("Escape");
    await sheet().waitFor({ state: "hidden" });
  });

  it("leaves what it cannot count to the list of rejected events, with the reason", async () => {
    await send({ total: "many" }).catch(() => undefined);
    await send({ total: 1 }, "no-such-tenant").catch(() => undefined);
    await page.getByRole("tab", { name: "Rejected events" }).click();
    const list = page.getByRole("table", { name: "Rejected events" });
    await list.getByText("INVALID_VALUE").waitFor();
    await list.getByText("UNKNOWN_SUBJECT").waitFor();
    await list.getByText("There is no tenant with this id or external id.").waitFor();
    await list.getByText("Model proxy").first().waitFor();
    expect(await countedTokens()).toBe("169");
    expect(await findAxeViolations(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Reason" }).click();
    await page.getByRole("option", { name: "Unknown tenant" }).click();
    await page.waitForURL(/[?&]reason=UNKNOWN_SUBJECT/);
    await list.getByText("INVALID_VALUE").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await measureOverflowPx(page)).toBe(0);
    expect(await findAxeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
