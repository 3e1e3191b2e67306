import { pollUntil } from "@turnpike/testkit/poll-until";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { registerOperator } from "./support/register-operator.ts";
import { makePerson, type Person, registerPerson } from "./support/sign-in.ts";
import { watchPage } from "./support/watch-page.ts";

const instance = inject("sharedProduct");
let browser: TestBrowser;
/** The operator's tab. */
let page: Page;
/** The header of the operator's last call to the API. */
let authorization = "";

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.context.newPage();
  page.on("request", (request) => {
    authorization = request.headers()["authorization"] ?? authorization;
  });
  await registerOperator(page, instance);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

const at = (search: string) => `${instance.consoleUrl}/tenants${search}`;
const readSearch = (of: Page, name: string) => new URL(of.url()).searchParams.get(name);
const tab = (of: Page, name: string) => of.getByRole("tab", { name, exact: true });
const cardOf = (of: Page, name: string) =>
  of.getByRole("list", { name: "Your tenants" }).getByRole("listitem").filter({ hasText: name });

async function createTenant(name: string): Promise<void> {
  await page.goto(at(""));
  await page.getByRole("button", { name: "Create tenant", exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create a tenant" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create tenant" }).click();
  await page.getByText(`${name} is ready.`).waitFor();
  await cardOf(page, name).getByText("Current").waitFor();
}

/** Invites a person to the current tenant and reads the link, which the inviter gets where no mail is delivered. */
async function invite(person: Person): Promise<string> {
  await tab(page, "Members").click();
  await page.getByRole("button", { name: "Invite member" }).click();
  const dialog = page.getByRole("dialog", { name: /^Invite to/ });
  await dialog.getByLabel("E-mail addresses").fill(person.email);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  const link = await dialog
    .getByRole("figure", { name: `link for ${person.email}` })
    .locator("code")
    .textContent();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("list", { name: "Pending invitations" }).getByText(person.email).waitFor();
  return link ?? "";
}

/** Runs part of a journey as another person, registered through a link, in their own browser. */
async function asInvited(
  link: string,
  person: Person,
  journey: (of: Page) => Promise<void>,
): Promise<void> {
  const other = await startBrowser();
  try {
    const own = await other.context.newPage();
    await registerPerson(own, link, person);
    await own.getByText("You have joined the tenant.").waitFor();
    await own.goto(at(""));
    await journey(own);
  } finally {
    await other[Symbol.asyncDispose]();
  }
}

describe("a tenant and its members", () => {
  it("is created, renamed, moved to another slug, and keeps its address", async () => {
    await createTenant("Maple Works");
    await tab(page, "Settings").click();
    await page.getByRole("textbox", { name: "Name" }).fill("Maple Mills");
    await page.getByRole("textbox", { name: "Slug" }).fill("maple-mills");
    await page.getByText("A new slug breaks saved links.").waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The tenant was saved.").waitFor();
    await page.waitForURL((url) => url.searchParams.get("tenant") === "maple-mills");
    await page.reload();
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Maple Mills");
    await page.getByText("You are its only owner").waitFor();
    await tab(page, "Audit log").click();
    await page
      .getByText(
        "renamed the tenant from Maple Works to Maple Mills, changed the slug from maple-works to maple-mills",
      )
      .waitFor();
  });

  it("takes in who was invited, with a role that changes at once, and lets them be removed", async () => {
    await createTenant("Cedar Post");
    const person = makePerson();
    const link = await invite(person);
    expect(link).toContain(`${instance.consoleUrl}/register#invitation=`);
    await asInvited(link, person, async (own) => {
      await cardOf(own, "Cedar Post").getByText("Developer").waitFor();
      expect(await own.getByRole("tab").allTextContents()).toEqual([
        "Your tenants",
        "Settings",
        "Members",
        "Single sign-on",
        "Webhooks",
        "Agents",
        "Audit log",
      ]);

      // Opening the tab anew asks who accepted meanwhile.
      await tab(page, "Settings").click();
      await tab(page, "Members").click();
      await page.getByText("No pending invitations.").waitFor();
      await page.getByRole("combobox", { name: `Role of ${person.email}` }).click();
      await page.getByRole("option", { name: /^Viewer/ }).click();
      await page.getByText(`${person.email} is now viewer.`).waitFor();
      await own.reload();
      await cardOf(own, "Cedar Post").getByText("Viewer").waitFor();
      await tab(own, "Members").click();
      await own.getByText("Your role, viewer, cannot change members").waitFor();

      await page.getByRole("button", { name: `Remove ${person.email}` }).click();
      const dialog = page.getByRole("alertdialog", { name: `Remove ${person.email}?` });
      await dialog.getByText("They created none of the keys that are in use.").waitFor();
      await dialog.getByRole("textbox").fill(person.email);
      await dialog.getByRole("button", { name: "Remove member" }).click();
      await page.getByText(`${person.email} was removed.`).waitFor();
      await own.goto(at(""));
      await own.getByText("You have no tenant yet").waitFor();
    });
  });

  it("lets a member leave", async () => {
    await createTenant("Birch Lane");
    const person = makePerson();
    await asInvited(await invite(person), person, async (own) => {
      await tab(own, "Settings").click();
      await own.getByText("Your role, developer, cannot change these").waitFor();
      await own.getByRole("button", { name: "Leave tenant…" }).click();
      const dialog = own.getByRole("alertdialog", { name: "Leave Birch Lane?" });
      await dialog.getByRole("textbox").fill("Birch Lane");
      await dialog.getByRole("button", { name: "Leave tenant" }).click();
      await own.getByText("You have no tenant yet").waitFor();
    });
    await page.goto(at("?tab=audit"));
    await page.getByText("left the tenant").waitFor();
  });
});

describe("a member", () => {
  it("is held to a role that the tenant made, becomes its owner, and deletes their account once there is another", async () => {
    await createTenant("Rowan Yard");
    const person = makePerson();
    const link = await invite(person);
    await page.getByRole("button", { name: "New role" }).click();
    const making = page.getByRole("dialog");
    await making.getByRole("textbox", { name: "Name" }).fill("Auditor");
    await making.getByRole("checkbox", { name: "See usage, limits and insights" }).click();
    await making.getByRole("checkbox", { name: "Read the audit log" }).click();
    await making.getByRole("button", { name: "Save role" }).click();
    await page.getByText("The role Auditor was saved.").waitFor();

    await asInvited(link, person, async (own) => {
      await page.reload();
      await page.getByRole("combobox", { name: `Role of ${person.email}` }).click();
      await page.getByRole("option", { name: /^Auditor/ }).click();
      await page.getByText(`${person.email} is now auditor.`).waitFor();
      await own.reload();
      await cardOf(own, "Rowan Yard").getByText("Auditor").waitFor();
      const screens = own.getByRole("navigation", { name: "Screens" });
      await screens.getByRole("link", { name: "Analytics" }).waitFor();
      expect(await screens.getByRole("link", { name: "API keys" }).count()).toBe(0);
      await own.goto(at("?tab=audit&action=member"));
      await own.getByText("to Auditor").waitFor();
      expect(await own.getByText("created the tenant").count()).toBe(0);
      const begun = own.waitForEvent("download");
      await own.getByRole("button", { name: "Export what is shown" }).click();
      await own.getByRole("menuitem", { name: /^CSV/ }).click();
      expect((await begun).suggestedFilename()).toBe("audit.csv");
      await own.getByRole("button", { name: "Clear filters" }).click();
      await own.getByText("exported a part of the audit log").waitFor();

      await tab(page, "Settings").click();
      await page.getByRole("combobox", { name: "New owner" }).click();
      await page.getByRole("option", { name: person.email }).click();
      await page.getByRole("button", { name: "Transfer…" }).click();
      const passing = page.getByRole("alertdialog", { name: /^Transfer Rowan Yard to/ });
      await passing.getByRole("textbox").fill("Rowan Yard");
      await passing.getByRole("button", { name: "Transfer ownership" }).click();
      await page.getByText("You are an admin.").waitFor();

      await own.goto(`${instance.consoleUrl}/account`);
      await own.getByText("You are the only owner of these tenants.").waitFor();
      await own.goto(at("?tab=members"));
      // That of the only owner is no choice, so there is one.
      await own.getByRole("combobox", { name: /^Role of / }).click();
      await own.getByRole("option", { name: /^Owner/ }).click();
      await own.getByText(/is now owner\./).waitFor();
      await own.goto(`${instance.consoleUrl}/account`);
      await own.getByRole("button", { name: "Delete account…" }).click();
      const deleting = own.getByRole("dialog", { name: "Delete your account?" });
      await deleting.getByLabel(/to confirm$/).fill(person.email);
      await deleting.getByLabel("Your password").fill(person.password);
      await deleting.getByRole("button", { name: "Delete account" }).click();
      await own.waitForURL(({ pathname }) => !pathname.startsWith("/account"));
      await own.goto(`${instance.consoleUrl}/login`);
      await own.getByLabel("E-mail address").fill(person.email);
      await own.getByLabel("Password", { exact: true }).fill(person.password);
      await own.getByRole("button", { name: "Sign in", exact: true }).click();
      await own
        .getByRole("alert")
        .filter({ hasText: /password/ })
        .waitFor();
      await page.goto(at("?tab=members"));
      await page.getByText("1 member", { exact: true }).waitFor();
    });
  });
});

describe("the operator", () => {
  it("suspends a tenant, whose key is refused then, and resumes it", async () => {
    await createTenant("Quarry Ltd");
    const apiKey = await createKey();
    // The API behind the gateway has no such page: 404 says that the call went through.
    const call = async () =>
      (
        await fetch(`${instance.gatewayUrl}/nothing-here`, {
          headers: { authorization: `Bearer ${apiKey}` },
        })
      ).status;
    await pollUntil("the key works", async () => (await call()) === 404);

    await page.goto(`${instance.consoleUrl}/operator/tenants?q=quarry`);
    await suspend("Quarry Ltd");
    await pollUntil("the key is refused", async () => (await call()) === 403);
    await page.goto(`${instance.consoleUrl}/overview`);
    await page.getByRole("region", { name: "Suspension" }).getByText("A key was leaked.").waitFor();

    await page.goto(`${instance.consoleUrl}/operator/tenants?q=quarry`);
    const row = page.getByRole("row").filter({ hasText: "Quarry Ltd" });
    await row.getByText("Suspended").waitFor();
    await row.getByRole("button", { name: "Actions for Quarry Ltd" }).click();
    await page.getByRole("menuitem", { name: "Resume tenant…" }).click();
    await page.getByRole("button", { name: "Resume tenant" }).click();
    await row.getByText("Active").waitFor();
    await pollUntil("the key works again", async () => (await call()) === 404);

    const setQuota = async (units: string, reason: string) => {
      await row.getByRole("button", { name: "Actions for Quarry Ltd" }).click();
      await page.getByRole("menuitem", { name: "Change limits…" }).click();
      const dialog = page.getByRole("dialog", { name: "Limits of Quarry Ltd" });
      await dialog.getByLabel("requests in a period").fill(units);
      await dialog.getByLabel("Reason").fill(reason);
      expect(await findAxeViolations(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Save limits" }).click();
      await dialog.waitFor({ state: "hidden" });
    };
    await setQuota("0", "Until the contract is signed");
    await pollUntil("the quota of its own holds", async () => (await call()) === 429);
    await setQuota("", "The contract is signed");
    await pollUntil("the quota of the plan holds", async () => (await call()) === 404);

    await row.getByRole("button", { name: "Actions for Quarry Ltd" }).click();
    await page.getByRole("menuitem", { name: "Show audit log" }).click();
    const sheet = page.getByRole("dialog", { name: "Audit log of Quarry Ltd" });
    await sheet.getByText("suspended the tenant").waitFor();
    await sheet.getByText("resumed the tenant").waitFor();
    await sheet.getByText("Until the contract is signed").waitFor();
  });

  it("makes a service key that works, and revokes it", async () => {
    await page.goto(`${instance.consoleUrl}/operator/service-keys`);
    await page.getByRole("button", { name: "Create service key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Reporting");
    await dialog.getByRole("checkbox", { name: /Tenants:\s*Read/ }).click();
    await dialog.getByRole("button", { name: "Create service key" }).click();
    const figure = dialog.getByRole("figure", { name: "Service key" });
    const secret = (await figure.locator("code").textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    const list = async () =>
      (
        await fetch(`${instance.consoleUrl}/v1/tenants`, {
          headers: { authorization: `Bearer ${secret}` },
        })
      ).status;
    expect(await list()).toBe(200);
    expect(await page.content()).not.toContain(secret);

    await page.getByRole("button", { name: "Revoke Reporting" }).click();
    const question = page.getByRole("alertdialog");
    await question.getByRole("textbox").fill("Reporting");
    await question.getByRole("button", { name: "Revoke service key" }).click();
    await page.getByRole("row").filter({ hasText: "Reporting" }).getByText("Revoked").waitFor();
    await pollUntil("the service key is refused", async () => (await list()) === 401);
  });

  it("sees that every part works, and where the installation answers", async () => {
    await page.goto(`${instance.consoleUrl}/operator/health`);
    await page.getByText("Everything is working.").waitFor();
    await page.getByText(instance.gatewayUrl, { exact: true }).waitFor();
    const config = await fetch(`${instance.consoleUrl}/config.json`);
    const { version } = (await config.json()) as { version: string };
    await page.getByText(`Version ${version}`).waitFor();
  });
});

/** What stands on each tab of Tenants, and on each of the operator's screens, once it has loaded. */
const PLACES = [
  ["/tenants", "Requests of this period"],
  ["/tenants?tab=settings", "About this tenant"],
  ["/tenants?tab=members", "What each role can do"],
  ["/tenants?tab=webhooks", "No webhooks yet"],
  ["/tenants?tab=audit", "created the tenant"],
  ["/operator", "Requests of all tenants"],
  ["/operator/tenants", "Used this period"],
  ["/operator/service-keys", "A service key lets your program"],
  ["/operator/audit", "created the tenant"],
  ["/operator/outbox", "No mail server is configured"],
  ["/operator/health", "Everything is working."],
] as const;

describe("every tab and every screen of the operator", () => {
  it("is clean for axe in both themes and needs no sideways scrolling at 360 px", async () => {
    await createTenant("Barrier Free");
    for (const [name, text] of PLACES) {
      await page.goto(`${instance.consoleUrl}${name}`);
      await page.getByText(text).first().waitFor();
      await expect.poll(() => page.locator("main [aria-busy=true]").count()).toBe(0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await findAxeViolations(page, { rules: rulesIn(colorScheme) });
        expect({ name, found }).toEqual({
          name,
          found: [],
        });
      }
      await page.setViewportSize({ width: 360, height: 740 });
      expect({ name, px: await measureOverflowPx(page) }).toEqual({ name, px: 0 });
      expect(await findAxeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    // Bookmarks of the former tab still lead there.
    await page.goto(at("?tab=health"));
    await page.getByText("Everything is working.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/operator/health");
  });
});

describe("the outbox", () => {
  it("shows operators a mail as its reader sees it, light and dark, with nothing that runs or leads elsewhere", async () => {
    await createTenant(`Long ${"W".repeat(60)}`);
    const person = makePerson();
    await invite(person);
    const trace = await watchPage(page, [instance.consoleUrl]);
    await page.goto(`${instance.consoleUrl}/operator/outbox?q=${person.email}`);
    await page.getByRole("row", { name: new RegExp(person.email) }).click();
    const mail = page.frameLocator("iframe");
    await mail.getByText(/^You are invited to Long W+/).waitFor();
    const inMail = async <Value>(expression: string) =>
      await page.frames().at(-1)?.evaluate<Value>(expression);
    const colorOf = () =>
      inMail<string>("getComputedStyle(document.querySelector('.card')).backgroundColor");
    expect(await colorOf()).toBe("rgb(255, 255, 255)");
    await page.getByRole("radio", { name: "Dark" }).click();
    await expect.poll(colorOf).toBe("rgb(31, 28, 24)");
    for (const widthPx of [360, 1440]) {
      await page.setViewportSize({ width: widthPx, height: 900 });
      const overflowPx = await inMail<number>(
        "document.documentElement.scrollWidth - window.innerWidth",
      );
      expect(overflowPx).toBe(0);
    }
    expect(await mail.locator("a[href], script").count()).toBe(0);
    expect(await page.locator("iframe").getAttribute("sandbox")).toBe("allow-same-origin");
    expect(await findAxeViolations(page)).toEqual([]);
    expect(trace).toMatchObject({ policyViolations: [], foreignRequests: [], pageErrors: [] });
  });
});

async function suspend(name: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Suspend tenant…" }).click();
  const dialog = page.getByRole("dialog", { name: `Suspend ${name}?` });
  await dialog.getByRole("textbox").fill("A key was leaked.");
  const answer = page.waitForResponse((response) => response.request().method() === "PATCH");
  await dialog.getByRole("button", { name: "Suspend tenant" }).click();
  expect((await answer).status()).toBe(200);
}

/** Makes a key of the tenant that is current, as the operator. */
async function createKey(): Promise<string> {
  const slug = readSearch(page, "tenant");
  const headers = { authorization, "content-type": "application/json" };
  const found = await fetch(`${instance.consoleUrl}/v1/tenants?q=${slug ?? ""}`, { headers });
  const { items } = (await found.json()) as { items: { tenantId: string }[] };
  const made = await fetch(`${instance.consoleUrl}/v1/tenants/${items[0]?.tenantId ?? ""}/keys`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "Worker" }),
  });
  expect(made.status).toBe(201);
  return ((await made.json()) as { key: string }).key;
}
