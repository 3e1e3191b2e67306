import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openStripeStandIn,
  type StripeStandIn,
} from "../apps/server/src/modules/billing/payments/stripe/testing/stripe-stand-in.fixture.ts";
import type { Behaviour } from "../apps/server/src/modules/billing/payments/stripe/testing/test-cards.fixture.ts";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { openKeysOfNewTenant } from "./support/open-keys.ts";

const CATALOG = `catalog:
  defaultPlanId: free
  meters:
    - { meterId: requests, name: Requests, unit: request, aggregation: count }
  plans:
    - { planId: free, name: Free, quotas: [{ meter: requests, limit: 1000, kind: hard }] }
    - planId: pro
      name: Pro
      phases:
        - rateCards:
            - { key: base, name: Base fee, price: { model: flat, amount: "49" }, interval: { month: 1 }, timing: advance }
`;
const SECRET = "whsec_0123456789abcdef";
const DAY_MS = 24 * 3_600_000;

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let standIn: StripeStandIn;
let instance: Instance;
let browser: TestBrowser;
let page: Page;
/** The API's address of the tenant, and what the console sends with a request. */
let tenant = { url: "", authorization: "" };

beforeAll(async () => {
  folder = await makeTempFolder();
  standIn = await openStripeStandIn();
  const config = join(folder.path, "turnpike.yaml");
  await writeFile(config, `${CATALOG}billing:\n  stripe: { apiUrl: "${standIn.url}" }\n`);
  instance = await startInstance({
    TURNPIKE_CONFIG: config,
    TURNPIKE_STRIPE_TEST_KEY: "rk_test_0123456789abcdef",
    TURNPIKE_STRIPE_TEST_WEBHOOK_SECRET: SECRET,
  });
  standIn.endpoints.push({ url: `${instance.consoleUrl}/v1/webhooks/stripe`, secrets: [SECRET] });
  standIn.isDeliveringAtOnce = true;
  browser = await startBrowser();
  page = await browser.context.newPage();
  await openKeysOfNewTenant(page, instance.consoleUrl);
  const [request] = await Promise.all([
    page.waitForRequest((sent) => /\/v1\/tenants\/ten_\w+\/keys\?/.test(sent.url())),
    page.reload(),
  ]);
  const { origin, pathname } = new URL(request.url());
  tenant = {
    url: origin + pathname.replace(/\/keys$/, ""),
    authorization: (await request.headerValue("authorization")) ?? "",
  };
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await standIn?.close();
  await folder?.[Symbol.asyncDispose]();
});

const main = () => page.getByRole("main");
const dialog = () => page.getByRole("dialog");
const invoices = () => main().getByRole("table", { name: "Invoices" });

/** Asks as the person who is signed in. */
async function api(method: "GET" | "POST", path: string, body?: object) {
  const response = await fetch(tenant.url + path, {
    method,
    headers: { authorization: tenant.authorization, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text);
}

function setCard(behaviour: Behaviour): void {
  for (const method of standIn.state.methods.keys()) {
    standIn.state.behaviours.set(method, behaviour);
  }
}

async function openBillings(): Promise<void> {
  await page.goto(`${instance.consoleUrl}/billings?environment=test`);
  await invoices().waitFor();
}

async function passDays(days: number): Promise<void> {
  const { now } = await api("GET", "/sandbox/clock");
  const to = new Date(Date.parse(now) + days * DAY_MS).toISOString();
  await api("POST", "/sandbox/clock", { to });
}

const standing = async (): Promise<string> =>
  (await api("GET", "/subscription?environment=test")).standing;

// One journey in parts: each begins where the one before has ended. The renewal waits for a job that runs each minute.
describe("a customer of the sandbox who pays by card", () => {
  it("chooses a plan, enters the card on Stripe's page, and the invoice is paid", async () => {
    await page.goto(`${instance.consoleUrl}/plans`);
    await main().getByRole("radio", { name: "Sandbox" }).click();
    await main().getByRole("button", { name: "Choose Pro" }).click();
    await dialog().getByRole("button", { name: "Confirm for $49.00" }).click();
    await main().getByText("Active", { exact: true }).waitFor();
    const returnPath = "/billings?environment=test";
    const { url } = await api("POST", "/payment-method/setups", {
      environment: "test",
      returnPath,
    });
    await page.goto(url);
    await page.getByLabel("Card number").fill("4242 4242 4242");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your card number is incorrect.").waitFor();
    await page.getByLabel("Card number").fill("4242 4242 4242 4242");
    await page.getByRole("button", { name: "Save" }).click();
    await invoices().waitFor();
    expect(new URL(page.url()).origin).toBe(instance.consoleUrl);
    await pollUntil("the invoice is paid by the card", async () => {
      const { items } = await api("GET", "/invoices?environment=test&limit=1");
      return items[0]?.state === "paid";
    });
    await page.reload();
    await invoices().getByText("Paid").waitFor();
  });

  it("gets a notice when the renewal fails, and is blocked when the grace is over", async () => {
    setCard({ does: "declines", declineCode: "insufficient_funds" });
    await passDays(32);
    const { items } = await api("GET", "/invoices?environment=test&limit=1");
    const renewal = items[0]?.invoiceId;
    await pollUntil("the card is declined", async () => {
      const { attempts } = await api("GET", `/invoices/${renewal}/collection`);
      return attempts[0]?.state === "failed";
    });
    expect(await standing()).toBe("overdue");
    await openBillings();
    await page.getByRole("button", { name: /Notifications/ }).click();
    await page.getByText(/The payment of \S+ did not succeed/).waitFor();
    await page.keyboard.press("Escape");
    await passDays(29);
    expect(await standing()).toBe("blocked");
  });

  it("pays by authenticating on Stripe's page, which lifts the block", async () => {
    setCard({ does: "asks" });
    const { items } = await api("GET", "/invoices?environment=test&state=open&limit=100");
    for (const { invoiceId } of items) {
      const paying = await api("POST", `/invoices/${invoiceId}/pay`, {
        returnPath: "/billings?environment=test",
      });
      await page.goto(paying.url);
      await page.getByRole("button", { name: "Complete" }).click();
      await invoices().waitFor();
    }
    await pollUntil("nothing is overdue", async () => (await standing()) === "current");
    await page.reload();
    await invoices().getByText("Paid").first().waitFor();
    await expect(invoices().getByText("Overdue").count()).resolves.toBe(0);
    const paid = [...standIn.state.intents.values()].filter(({ status }) => status === "succeeded");
    expect(new Set(paid.map(({ metadata }) => metadata["invoice"])).size).toBe(paid.length);
  });
});
