import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { openKeysOfNewTenant } from "./support/open-keys.ts";
import { type PageTrace, watchPage } from "./support/watch-page.ts";

/** A free plan, one with priced usage, a larger one, and one that begins with a trial. */
const CATALOG = `
catalog:
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
            - key: calls
              meter: requests
              interval: { month: 1 }
              price: { model: graduated, tiers: [{ upTo: "3", unitAmount: "0" }, { upTo: null, unitAmount: "0.25" }] }
    - planId: scale
      name: Scale
      phases:
        - rateCards:
            - { key: base, name: Base fee, price: { model: flat, amount: "200" }, interval: { month: 1 }, timing: advance }
    - planId: team
      name: Team
      phases:
        - duration: { days: 14 }
          rateCards: []
        - rateCards:
            - { key: base, name: Base fee, price: { model: flat, amount: "20" }, interval: { month: 1 }, timing: advance }
`;

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let instance: Instance;
let browser: TestBrowser;
let page: Page;
let trace: PageTrace;
/** The secret of a live key of the tenant. */
let key = "";

beforeAll(async () => {
  folder = await makeTempFolder();
  const config = join(folder.path, "turnpike.yaml");
  await writeFile(config, CATALOG);
  instance = await startInstance({ TURNPIKE_CONFIG: config });
  browser = await startBrowser();
  page = await browser.context.newPage();
  trace = await watchPage(page, [instance.consoleUrl]);
  await openKeysOfNewTenant(page, instance.consoleUrl);
  key = await createKey();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const main = () => page.getByRole("main");
const dialog = () => page.getByRole("dialog");
const running = () => main().getByRole("region", { name: "Running invoice" });

/** Creates a key as the person who is signed in, with the token that the console sends. */
async function createKey(): Promise<string> {
  const [request] = await Promise.all([
    page.waitForRequest((sent) => /\/v1\/tenants\/ten_\w+\/keys\?/.test(sent.url())),
    page.reload(),
  ]);
  const url = new URL(request.url());
  const response = await fetch(url.origin + url.pathname, {
    method: "POST",
    headers: {
      authorization: (await request.headerValue("authorization")) ?? "",
      "content-type": "application/json",
    },
    body: JSON.stringify({ name: "Web shop" }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { key: string }).key;
}

async function call(times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const answer = await fetch(`${instance.gatewayUrl}/v1/cities/berlin`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await answer.body?.cancel();
    expect(answer.status).toBe(200);
  }
}

async function open(path: string): Promise<void> {
  await page.goto(instance.consoleUrl + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** What keeps the screen, as it stands, from being right: light on a desk, dark on a phone. */
async function findFaults(): Promise<string[]> {
  const loading = page.locator("[role=status][aria-label^=Loading], [aria-busy=true]");
  await loading.first().waitFor({ state: "detached" });
  const faults: string[] = [];
  for (const [colorScheme, width] of [
    ["light", 1440],
    ["dark", 360],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    faults.push(...(await findAxeViolations(page)));
    const overflowPx = await measureOverflowPx(page);
    faults.push(...(overflowPx > 0 ? [`${String(overflowPx)} px too wide`] : []));
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  return faults;
}

// One journey in parts: each begins where the one before has ended.
describe("a customer who pays", () => {
  it("compares the plans, with the price of any usage", async () => {
    await open("/plans");
    const heading = page.getByRole("heading", { name: "Pro", level: 2 });
    const pro = main().getByRole("listitem").filter({ has: heading });
    await pro.getByText("plus usage").waitFor();
    await pro.getByRole("row", { name: "Over 3 $0.25" }).waitFor();
    await main().getByText("First 14 days: free trial").waitFor();
    const field = main().getByRole("textbox", { name: "Requests a month" });
    await field.fill("103");
    const comparison = main().getByRole("region", { name: "What would it cost?" });
    // 49.00 and 100 at 0.25.
    await comparison.getByText("$74.00").waitFor();
    await main()
      .getByRole("slider", { name: /^Requests a month/ })
      .press("Home");
    await comparison.getByText("$49.00").first().waitFor();
    expect(await findFaults()).toEqual([]);
  });

  it("chooses a plan by its quote, and is invoiced exactly that", async () => {
    await main().getByRole("button", { name: "Choose Pro" }).click();
    await dialog().getByText("Invoice issued at once").waitFor();
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("button", { name: "Confirm for $49.00" }).click();
    await page.getByText("Pro is your plan now.").waitFor();
    await main().getByText("Active", { exact: true }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Billings", exact: true }).click();
    const invoices = main().getByRole("table", { name: "Invoices" });
    await invoices.getByRole("row", { name: /INV-.*Open.*\$49\.00/ }).click();
    await page.getByRole("heading", { level: 1, name: /^Invoice INV-/ }).waitFor();
    await main()
      .getByRole("row", { name: /Base fee.*\$49\.00/ })
      .waitFor();
    expect(await findFaults()).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      main().getByRole("button", { name: "Download lines as CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^INV-.*\.csv$/);
    await main().getByRole("link", { name: "All invoices" }).click();
    await running().waitFor();
  });

  it("sees the running invoice move while calls come in", async () => {
    await call(2);
    await running().getByText("2 requests", { exact: true }).first().waitFor();
    await running().getByText("The first 3 requests cost nothing.").waitFor();
    await call(5);
    // Four of seven at 0.25, beside the fee of the next period if it is on it.
    await running()
      .getByRole("row", { name: /7 requests \$1\.00/ })
      .waitFor();
    expect(await findFaults()).toEqual([]);
  });

  it("opens the line to the day, the key and the route, whose sums are the line", async () => {
    await running()
      .getByRole("button", { name: /by day, key and route$/ })
      .click();
    await dialog().getByRole("row", { name: "Sum, equal to the line 7 $1.00" }).waitFor();
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("cell").getByRole("button").first().click();
    await dialog().getByRole("button", { name: "Web shop" }).click();
    await dialog()
      .getByText(/^GET \/v1\/cities/)
      .first()
      .waitFor();
    await dialog().getByRole("row", { name: "Sum 7 $1.00" }).waitFor();
    await page.reload();
    await dialog().getByRole("row", { name: "Sum 7 $1.00" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
  });

  it("changes to a larger plan, and what was paid for the rest of the period comes back", async () => {
    await open("/plans");
    await main().getByRole("button", { name: "Change to Scale" }).click();
    await dialog().getByText("Takes effect at once.").waitFor();
    await dialog()
      .getByText(/^Credit of INV-/)
      .waitFor();
    const confirm = dialog().getByRole("button", { name: /^Confirm for \$/ });
    const sum = /\$[\d.]+/.exec((await confirm.textContent()) ?? "")?.[0] ?? "";
    await confirm.click();
    await page.getByText("Scale is your plan now.").waitFor();
    await open("/billings");
    await main()
      .getByRole("table", { name: "Invoices" })
      .getByRole("row", { name: new RegExp(`\\${sum}$`) })
      .waitFor();
  });

  it("cancels at the end of the period, and can take it back", async () => {
    await open("/plans");
    await main().getByRole("button", { name: "Cancel plan" }).click();
    await dialog().getByRole("button", { name: "Confirm: nothing due now" }).click();
    await page.getByText("Scale ends with the period.").waitFor();
    await main()
      .getByText(/^Ends on .* does not renew/)
      .waitFor();
    await main().getByRole("button", { name: "Undo cancellation" }).click();
    await dialog().getByRole("button", { name: "Confirm: nothing due now" }).click();
    await page.getByText("Scale stays your plan.").waitFor();
    await main()
      .getByText(/^Renews on/)
      .waitFor();
  });

  it("lets the sandbox's time pass to the end of a trial, and owes nothing for it", async () => {
    await main().getByRole("radio", { name: "Sandbox" }).click();
    await main()
      .getByText(/^Sandbox time: /)
      .waitFor();
    await main().getByRole("button", { name: "Choose Team" }).click();
    await dialog().getByRole("button", { name: "Confirm: nothing due now" }).click();
    await main().getByText("Trial", { exact: true }).waitFor();
    await main().getByRole("button", { name: "Let time pass" }).click();
    await page.getByRole("menuitem", { name: /^To the end of the trial/ }).click();
    await main().getByRole("heading", { name: "On the way" }).waitFor();
    await main().getByText("Active", { exact: true }).waitFor();
    expect(await findFaults()).toEqual([]);
    await page.getByRole("navigation").getByRole("link", { name: "Billings", exact: true }).click();
    await main()
      .getByRole("table", { name: "Invoices" })
      .getByRole("row", { name: /\$20\.00/ })
      .waitFor();
    expect(await findFaults()).toEqual([]);
    await main().getByRole("radio", { name: "Live" }).click();
    await main().getByRole("table", { name: "Invoices" }).getByText(/^INV-/).first().waitFor();
    await expect(
      main().getByRole("table", { name: "Invoices" }).getByText("$20.00").count(),
    ).resolves.toBe(0);
  });

  it("broke no policy, requested nothing from elsewhere and logged no error on the way", () => {
    expect(trace.policyViolations).toEqual([]);
    expect(trace.foreignRequests).toEqual([]);
    expect(trace.pageErrors).toEqual([]);
    expect(trace.consoleErrors).toEqual([]);
  });
});
