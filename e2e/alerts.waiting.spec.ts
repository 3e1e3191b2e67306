import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { startWebhookReceiver, type WebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { makePerson, registerPerson, signInHere } from "./support/sign-in.ts";

/** A quota that is charged beyond, and small enough to reach by hand. */
const CONFIG = `webhooks:
  allowPrivate: [127.0.0.1]
catalog:
  meters: [{ meterId: requests, name: Requests, unit: request, aggregation: count }]
  defaultPlanId: small
  plans:
    - { planId: small, name: Small, quotas: [{ meter: requests, limit: 20, kind: soft }] }
`;
/** Alerts are evaluated once a minute, on whole minutes: two to three pass before one notifies. */
const MINUTES_MS = 600_000;
const TEST_MS = 1_200_000;

const person = makePerson();
const colleague = makePerson();
let folder: TempFolder;
let home: ProductHome;
let browser: TestBrowser;
let receiver: WebhookReceiver;
let page: Page;
let consoleUrl = "";
let gatewayUrl = "";
let serviceKey = "";
let tenantId = "";
let key = "";

async function turnpike<Answer>(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await home.turnpike(...args, "--json");
  if (code !== 0) {
    throw new Error(`turnpike ${args.join(" ")} ended with ${String(code)}:\n${stderr}`);
  }
  return JSON.parse(stdout) as Answer;
}

type Listed = { items: Record<string, unknown>[] };

async function list(path: string, bearer = serviceKey): Promise<Record<string, unknown>[]> {
  const reply = await fetch(`${consoleUrl}/v1${path}`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  expect(reply.status).toBe(200);
  return ((await reply.json()) as Listed).items;
}

const events = (type: string) =>
  receiver.received
    .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
    .filter((message) => message.type === type);
const subjects = async () =>
  (await list("/outbox")).filter(({ to }) => to === colleague.email).map(({ subject }) => subject);
const kinds = async () =>
  (await list(`/tenants/${tenantId}/notifications`)).map((notice) => notice["kind"]);

let calledAtMs = 0;

/** Some calls at most every other second, as often as it is asked: a minute holds enough of them. */
async function keepCalling(): Promise<void> {
  if (performance.now() - calledAtMs > 2_000) {
    calledAtMs = performance.now();
    await callGateway(5);
  }
}

async function callGateway(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const reply = await fetch(`${gatewayUrl}/v1/cities/berlin`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await reply.arrayBuffer();
  }
}

/** The link in the newest mail to the colleague. */
async function followMail(kind: string): Promise<URL> {
  const link = await pollUntil(`the mail: ${kind}`, async () =>
    (await list("/outbox"))
      .filter((mail) => mail["to"] === colleague.email && mail["kind"] === kind)
      .map(({ text }) => /https?:\/\/\S+/.exec(String(text))?.[0])
      .find((found) => found !== undefined),
  );
  return new URL(link);
}

/** Mail goes to confirmed addresses only; setting a new password through a mailed link confirms one. */
async function confirmColleague(their: Page): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", origin: consoleUrl };
    const reply = await fetch(`${consoleUrl}/idp${path}`, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    expect(reply.status).toBeLessThan(300);
  };
  await post("/password/forgot", { email: colleague.email });
  const token = (await followMail("reset-password")).hash.replace("#reset=", "");
  await post("/password/reset", { token, password: colleague.password });
  await their.context().clearCookies();
  await their.goto(`${consoleUrl}/login`);
  await their.evaluate("localStorage.clear(); sessionStorage.clear();");
  await their.goto(`${consoleUrl}/login`);
  await signInHere(their, colleague);
}

async function inviteColleague(): Promise<void> {
  const reply = await fetch(`${consoleUrl}/v1/tenants/${tenantId}/invitations`, {
    method: "POST",
    headers: { authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
    body: JSON.stringify({ email: colleague.email, role: "admin" }),
  });
  expect(reply.status).toBe(201);
  const link = await followMail("invitation");
  await using theirs = await startBrowser();
  const their = await theirs.context.newPage();
  await registerPerson(their, link.href, colleague);
  // The page of the invitation names the tenant as well; what is left before this sentence has not joined it.
  await their.getByText("You have joined the tenant.").waitFor();
  await confirmColleague(their);
  await their.getByText("Alarm Acres").first().waitFor();
}

beforeAll(async () => {
  folder = await makeTempFolder();
  const config = join(folder.path, "turnpike.yaml");
  await writeFile(config, CONFIG);
  receiver = await startWebhookReceiver();
  home = await makeProductHome({ TURNPIKE_CONFIG: config });
  const server = await home.startServer();
  consoleUrl = `http://localhost:${String(server.port)}`;
  gatewayUrl = `http://localhost:${String(server.gatewayPort)}`;
  browser = await startBrowser();
  page = await browser.context.newPage();
  const setupLink = /https?:\/\/\S+\/register#setup=[^\s"\\]+/.exec(server.output())?.[0];
  await registerPerson(page, setupLink ?? expect.fail("no setup link"), person);
  await page.getByText("You are now the operator of this installation.").waitFor();
  ({ key: serviceKey } = await turnpike<{ key: string }>(
    ...["service-keys", "create", "--name", "Test", "--scope", ...SCOPES],
  ));
  await page.goto(`${consoleUrl}/tenants`);
  for (const name of ["Quiet Quarter", "Alarm Acres"]) {
    await page.getByRole("button", { name: "Create tenant", exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create a tenant" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("button", { name: "Create tenant" }).click();
    await page.getByText(`${name} is ready.`).waitFor();
  }
  const tenant = await turnpike<Listed>("tenants", "list");
  const ours = tenant.items.find(({ slug }) => slug === "alarm-acres");
  tenantId = String(ours?.["tenantId"]);
  await inviteColleague();
  ({ key } = await turnpike<{ key: string }>(
    ...["keys", "create", "--tenant", "alarm-acres", "--name", "Traffic"],
  ));
  await turnpike("webhooks", "create", "--tenant", "alarm-acres", "--url", `${receiver.url}/in`);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
  await receiver?.close();
  await folder?.[Symbol.asyncDispose]();
});

/** How much of a dialog has to be scrolled to. */
const measureHiddenPx = async (dialog: Locator) =>
  await dialog.evaluate((layer) =>
    Math.max(
      ...[...layer.querySelectorAll("div.overflow-y-auto")].map(
        (part) => part.scrollHeight - part.clientHeight,
      ),
    ),
  );

const row = () => page.getByRole("row").filter({ hasText: "Busy live traffic" });
const choose = async (name: string) => {
  await page.getByRole("button", { name: "Actions for Busy live traffic" }).click();
  await page.getByRole("menuitem", { name }).click();
};

describe("an alert", () => {
  it("begins on what is looked at, says what is missing, and is in the list then", async () => {
    await page.goto(`${consoleUrl}/analytics?tenant=alarm-acres&status_class=2xx`);
    await page.getByRole("button", { name: "Alert me" }).click();
    const dialog = page.getByRole("dialog", { name: "Alert me" });
    await dialog.getByText("Only Status class: 2xx").waitFor();
    await dialog.getByRole("button", { name: "Create alert" }).click();
    await dialog.getByText("Enter a name that says what is wrong.").waitFor();
    await dialog.getByText("Enter the value at which it fires.").waitFor();
    await dialog.getByLabel("Name").fill("Busy live traffic");
    await dialog.getByRole("combobox", { name: "In a window of" }).click();
    await page.getByRole("option", { name: "1 minute", exact: true }).click();
    await dialog.getByLabel("Threshold").fill("3");
    await dialog.getByText("It would not have fired.").waitFor();
    await dialog.getByRole("figure").waitFor();
    // On a desk the whole form is in sight.
    expect(await measureHiddenPx(dialog)).toBe(0);
    expect(await findAxeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create alert" }).click();
    await row().getByText("Requests above 3 in 1 minute").waitFor();
    // The button that opened the dialog is on another tab.
    await page.locator('[role="tab"]:focus').getByText("Alerts").waitFor();
    expect(new URL(page.url()).searchParams.get("tab")).toBe("alerts");
    expect(new URL(page.url()).searchParams.get("status_class")).toBe("2xx");
  });

  it(
    "fires on real traffic: in the console and to a webhook, and without a mail server by no mail",
    async () => {
      await pollUntil(
        "the alert fires",
        async () => {
          await keepCalling();
          return (await kinds()).includes("alert.firing");
        },
        MINUTES_MS,
      );
      const message = await pollUntil("the webhook hears of it", () => events("alert.firing")[0]);
      expect(message.data).toMatchObject({
        alert: { tenantId, name: "Busy live traffic", phase: "firing" },
        isReminder: false,
        isTest: false,
      });
      expect(message.data["value"]).toBeGreaterThan(3);
      expect(await subjects()).not.toContain("Turnpike: An alert is firing");
      await page.reload();
      await row().getByText("Firing").waitFor();
      await page.getByRole("button", { name: /^Notifications/ }).click();
      await page.getByText("Alert: Busy live traffic").waitFor();
      await page.keyboard.press("Escape");
    },
    TEST_MS,
  );

  it("tells the share of the quota that was used up meanwhile, once", async () => {
    await callGateway(20);
    const told = await pollUntil(
      "the quota notification arrives",
      () => events("quota.threshold_reached").find(({ data }) => data["threshold"] === 100),
      MINUTES_MS,
    );
    expect(told.data).toMatchObject({ tenantId, meter: "requests", limit: 20, kind: "soft" });
    const shares = events("quota.threshold_reached").map(({ data }) => data["threshold"]);
    expect(new Set(shares).size).toBe(shares.length);
  }, 300_000);

  it(
    "recovers, and its history says so",
    async () => {
      await pollUntil(
        "the alert recovers",
        async () => (await kinds()).includes("alert.recovered"),
        MINUTES_MS,
      );
      await pollUntil("the webhook hears of it", () => events("alert.recovered")[0]);
      expect(events("alert.firing")).toHaveLength(1);
      await page.reload();
      await row().getByText("OK", { exact: true }).waitFor();
      await row().click();
      const sheet = page.getByRole("dialog", { name: "Busy live traffic" });
      await sheet.getByText("Recovered").waitFor();
      await sheet.getByText("Fired").waitFor();
      await sheet.getByRole("figure").getByText("Threshold").waitFor();
      await sheet.getByRole("figure").getByText("Firing").waitFor();
      await sheet.getByText("The last minute, checked every minute").waitFor();
      await sheet.getByText("Only Status class: 2xx").waitFor();
      expect(await findAxeViolations(page)).toEqual([]);
      await sheet.getByRole("button", { name: "Show in Analytics" }).click();
      await page.getByRole("tab", { name: "Usage", selected: true }).waitFor();
      const { searchParams } = new URL(page.url());
      expect(searchParams.get("status_class")).toBe("2xx");
      expect(searchParams.get("range")).toBe("6h");
      await page.goBack();
      await sheet.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("menuitem", { name: "Pause until resumed" }).click();
      await sheet.getByRole("button", { name: "Resume" }).click();
      await sheet.getByRole("button", { name: "Edit" }).click();
      const dialog = page.getByRole("dialog", { name: "Edit alert" });
      // The dialog on top has the focus, and so gets the key; the one below gets none until it closes.
      await dialog.locator(":focus").waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      await sheet.getByRole("button", { name: "Edit" }).waitFor();
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "hidden" });
    },
    TEST_MS,
  );

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

  it("is paused, resumed, edited and deleted by keyboard and menu", async () => {
    await choose("Pause for an hour");
    await row().getByText("Paused").waitFor();
    await choose("Resume");
    await row().getByText("Waiting for first check").waitFor();
    await choose("Edit alert");
    const dialog = page.getByRole("dialog", { name: "Edit alert" });
    await dialog.getByLabel("Threshold").fill("7");
    await page.keyboard.press("Enter");
    await row().getByText("Requests above 7 in 1 minute").waitFor();
    await choose("Delete alert");
    const asked = page.getByRole("alertdialog").or(page.getByRole("dialog"));
    await asked.getByRole("textbox").fill("delete");
    await asked.getByRole("button", { name: "Delete alert" }).click();
    await page.getByText("No alerts yet").waitFor();
  });

  it("is nothing that another tenant sees", async () => {
    const { key: theirs } = await turnpike<{ key: string }>(
      ...["keys", "create", "--tenant", "quiet-quarter", "--name", "Theirs"],
      ...["--scope", "alerts:read", "notifications:read"],
    );
    const reply = await fetch(`${consoleUrl}/v1/tenants/${tenantId}/alerts`, {
      headers: { authorization: `Bearer ${theirs}` },
    });
    expect(reply.status).toBe(404);
    await page.goto(`${consoleUrl}/analytics?tenant=quiet-quarter&tab=alerts`);
    await page.getByText("No alerts yet").waitFor();
    await page.getByRole("button", { name: /^Notifications/ }).click();
    expect(await page.getByText("Busy live traffic").count()).toBe(0);
  });
});
