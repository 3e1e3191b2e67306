import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findScreenFaults } from "./support/find-screen-faults.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { openKeysOfNewTenant } from "./support/open-keys.ts";
import { registerOperator } from "./support/register-operator.ts";
import { type PageTrace, watchPage } from "./support/watch-page.ts";

/** A product of its own: what is sold changes for everyone on it. */
const CATALOG = `
catalog:
  defaultPlanId: free
  meters:
    - { meterId: requests, name: Requests, unit: request, aggregation: count }
  plans:
    - { planId: free, name: Free, quotas: [{ meter: requests, limit: 1000, kind: hard }] }
`;

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let instance: Instance;
let browsers: { operator: TestBrowser; customer: TestBrowser };
let page: Page;
let customer: Page;
let trace: PageTrace;

beforeAll(async () => {
  folder = await makeTempFolder();
  const config = join(folder.path, "turnpike.yaml");
  await writeFile(config, CATALOG);
  instance = await startInstance({ TURNPIKE_CONFIG: config });
  browsers = { operator: await startBrowser(), customer: await startBrowser() };
  page = await browsers.operator.context.newPage();
  customer = await browsers.customer.context.newPage();
  trace = await watchPage(page, [instance.consoleUrl]);
  await registerOperator(page, instance);
});

afterAll(async () => {
  await browsers?.operator[Symbol.asyncDispose]();
  await browsers?.customer[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const main = () => page.getByRole("main");
const dialog = () => page.getByRole("dialog");
const findFaults = () => findScreenFaults(page);

async function open(path: string): Promise<void> {
  await page.goto(instance.consoleUrl + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Chooses in the card of usage that is open. */
async function choose(label: string, option: string | RegExp): Promise<void> {
  await main()
    .getByRole("group", { name: /^Usage/ })
    .getByRole("combobox", { name: label })
    .click();
  await page.getByRole("option", { name: option }).click();
}

// One journey in parts: each begins where the one before has ended.
describe("an operator who sells", () => {
  it("drafts a plan with tiers, whose mistakes are named at their fields", async () => {
    await open("/plans?tab=catalogue");
    await main().getByRole("row", { name: /^Free/ }).waitFor();
    expect(await findFaults()).toEqual([]);
    await main().getByRole("button", { name: "New plan" }).click();
    await dialog().getByLabel("Id").fill("team");
    await page.keyboard.press("Enter");
    await main().getByRole("textbox", { name: "Name" }).first().fill("Team");
    await main().getByRole("textbox", { name: "Amount" }).fill("20");
    await main().getByRole("button", { name: "Add usage to phase 1" }).click();
    await choose("Meter", "Requests");
    await choose("Price model", /^Graduated tiers/);
    await main().getByRole("button", { name: "Add tier" }).click();
    const second = main().getByRole("group", { name: "Tier 2" });
    await second.getByLabel("Up to, inclusive").fill("500");
    await second.getByLabel("Unit price").fill("0.002");
    await main().getByRole("group", { name: "Tier 3" }).getByLabel("Unit price").fill("0.001");
    const faults = main().getByRole("region", { name: "To fix before publishing" });
    await faults.getByText(/Give each tier a higher bound/).waitFor();
    await expect(main().getByRole("button", { name: "Publish…" }).isDisabled()).resolves.toBe(true);
    expect(await findFaults()).toEqual([]);
    await main().getByRole("button", { name: "Save draft" }).click();
    await page.getByText("The draft is saved. It cannot be published yet.").waitFor();
    await second.getByLabel("Up to, inclusive").fill("10000");
    await faults.waitFor({ state: "detached" });
    const price = main().getByRole("region", { name: "Price" });
    // The fee, and 9,000 of 10,000 requests at 0.002.
    await price.getByText("$38.00").waitFor();
    await price.getByText("Without usage it costs $20.00.").waitFor();
  });

  it("finds the draft again after a reload, and publishes it", async () => {
    await main().getByRole("button", { name: "Save draft" }).click();
    await page.getByText("The draft is saved.", { exact: true }).waitFor();
    await page.reload();
    await main().getByRole("heading", { name: "Team" }).waitFor();
    expect(await findFaults()).toEqual([]);
    await main().getByRole("button", { name: "Publish…" }).click();
    await dialog().getByRole("button", { name: "Publish version 1" }).click();
    await page.getByText("Version 1 of Team is published.").waitFor();
    await dialog().getByText("Version 1", { exact: false }).first().waitFor();
    expect(await findFaults()).toEqual([]);
    await page.keyboard.press("Escape");
  });

  it("sees the invoice of a customer who chose the plan", async () => {
    await openKeysOfNewTenant(customer, instance.consoleUrl);
    await customer.goto(`${instance.consoleUrl}/plans`);
    await customer.getByRole("button", { name: "Choose Team" }).click();
    await customer.getByRole("button", { name: "Confirm for $20.00" }).click();
    await customer.getByText("Team is your plan now.").waitFor();
    await open("/billings?view=all");
    await main()
      .getByRole("list", { name: "Sums of what matches" })
      .getByText("$20.00")
      .first()
      .waitFor();
    expect(await findFaults()).toEqual([]);
    await main()
      .getByRole("row", { name: /^INV-.*Acme.*Open.*\$20\.00/ })
      .click();
    await page.getByRole("heading", { level: 1, name: /^Invoice INV-/ }).waitFor();
    expect(await findFaults()).toEqual([]);
  });

  it("credits a part of it, and records the payment of the rest", async () => {
    await main().getByRole("button", { name: "Credit…" }).click();
    await dialog()
      .getByRole("radio", { name: /^An amount/ })
      .click();
    await dialog()
      .getByLabel(/^Amount in USD/)
      .fill("5");
    await dialog().getByText("$15.00").waitFor();
    await dialog().getByLabel("Reason").fill("An outage on Monday.");
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("button", { name: "Issue credit note" }).click();
    await main().getByRole("region", { name: "Credit notes" }).getByText(/^CN-/).waitFor();
    await main().getByRole("button", { name: "Record payment" }).click();
    await expect(dialog().getByLabel("Amount in USD").inputValue()).resolves.toBe("15.00");
    await dialog().getByLabel("Reference").fill("Transfer 77");
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("button", { name: "Record payment" }).click();
    await main().getByText("Paid", { exact: true }).first().waitFor();
    await expect(main().getByRole("button", { name: "Record payment" }).count()).resolves.toBe(0);
  });

  it("sees everything of the tenant on one page, and charges work that was agreed on", async () => {
    await main().getByRole("link", { name: "Billing of Acme" }).click();
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
    await main().getByRole("table", { name: "Invoices" }).getByText("Paid").waitFor();
    expect(await findFaults()).toEqual([]);
    await main().getByRole("button", { name: "Charge once…" }).click();
    await dialog().getByLabel("Description").fill("Migration");
    await dialog().getByLabel("Amount, before tax").fill("500");
    await dialog().getByLabel("Reason").fill("Agreed by mail.");
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("button", { name: "Add to the next invoice" }).click();
    await main()
      .getByRole("region", { name: "Running invoice" })
      .getByRole("row", { name: /^Migration.*\$500\.00/ })
      .waitFor();
  });

  it("changes the plan of the tenant by a quote", async () => {
    await main().getByRole("button", { name: "Cancel plan" }).click();
    await dialog().getByRole("button", { name: "Confirm: nothing due now" }).click();
    await main()
      .getByText(/^Ends on .* does not renew/)
      .waitFor();
    expect(await findFaults()).toEqual([]);
  });

  it("raises a price after a preview of what each subscriber would pay, and moves them", async () => {
    await open("/plans?tab=catalogue&plan=team&view=draft");
    await main().getByRole("button", { name: /^base/ }).click();
    await main().getByRole("textbox", { name: "Amount" }).fill("25");
    await main()
      .getByRole("list", { name: "Changes since version 1" })
      .getByText("base: amount 20 → 25")
      .waitFor();
    await main().getByRole("button", { name: "Publish…" }).click();
    await dialog()
      .getByText(/^1 would pay more: \+\$5\.00 together/)
      .waitFor();
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("button", { name: "Publish version 2" }).click();
    await dialog().getByRole("button", { name: "Move subscribers to version 2…" }).click();
    const moving = page.getByRole("dialog", { name: /^Move subscribers of Team/ });
    await moving.getByRole("row", { name: /^Acme.*\+\$5\.00/ }).waitFor();
    await moving.getByRole("button", { name: "Move subscribers" }).click();
    await dialog().getByText("Done", { exact: true }).waitFor();
    expect(await findFaults()).toEqual([]);
  });

  it("archives the plan, which its subscribers keep", async () => {
    await open("/plans?tab=catalogue");
    await main().getByRole("button", { name: "Actions for Team" }).click();
    await page.getByRole("menuitem", { name: "Archive…" }).click();
    await page.getByRole("button", { name: "Archive plan" }).click();
    await main()
      .getByRole("row", { name: /^Team.*Archived/ })
      .waitFor();
    await customer.goto(`${instance.consoleUrl}/plans`);
    await customer.getByRole("heading", { name: "Team" }).first().waitFor();
    await expect(customer.getByRole("button", { name: "Choose Team" }).count()).resolves.toBe(0);
  });

  it("sees what subscriptions bring, what was taxed, what is overdue and what is missing", async () => {
    await open("/billings?view=all");
    await main().getByRole("tab", { name: "Revenue" }).click();
    await main().getByRole("region", { name: "MRR" }).getByText("1 customer").waitFor();
    await main()
      .getByRole("button", { name: /^New, .*\+\$/ })
      .click();
    await dialog()
      .getByRole("row", { name: /^Acme.*\+\$/ })
      .waitFor();
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("button", { name: "Close" }).click();
    await main().getByRole("tab", { name: "Tax" }).click();
    await main().getByText("No tax configured").waitFor();
    await main().getByRole("tab", { name: "Dunning" }).click();
    await main().getByText("Nothing is overdue").waitFor();
    await main().getByRole("tab", { name: "Settings" }).click();
    await main().getByText("billing.seller.address").waitFor();
    expect(await findFaults()).toEqual([]);
  });

  it("makes a coupon, and archives it", async () => {
    await open("/plans?tab=coupons");
    await main().getByText("No coupons yet").waitFor();
    await main().getByRole("button", { name: "Create coupon" }).click();
    await dialog().getByLabel("Name").fill("Spring");
    await dialog().getByLabel("Code").fill("spring");
    await dialog().getByRole("textbox", { name: "Per cent" }).fill("20");
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("button", { name: "Create coupon" }).click();
    await main()
      .getByRole("row", { name: /^Spring.*Redeemable.*20% off/ })
      .waitFor();
    expect(await findFaults()).toEqual([]);
    await main().getByRole("button", { name: "Archive Spring" }).click();
    await page.getByRole("button", { name: "Archive coupon" }).click();
    await main()
      .getByRole("row", { name: /^Spring.*Archived/ })
      .waitFor();
  });

  it("broke no policy, requested nothing from elsewhere and logged no error on the way", () => {
    expect(trace.policyViolations).toEqual([]);
    expect(trace.foreignRequests).toEqual([]);
    expect(trace.pageErrors).toEqual([]);
    expect(trace.consoleErrors).toEqual([]);
  });
});
