import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import {
  type ForeignProvider,
  passForeignProvider,
  startForeignProvider,
} from "./support/foreign-provider.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import {
  type MockProvider,
  openWindow,
  startMockProvider,
  waitForClosed,
} from "./support/mock-provider.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";
import { waitUntilHydrated } from "./support/wait-until-hydrated.ts";
import { watchPage } from "./support/watch-page.ts";

let folder: string;
let provider: ForeignProvider;
let partners: MockProvider;
/** Demands a client secret, as Google does. */
let guarded: ForeignProvider;
let instance: Instance;
let browser: TestBrowser;

beforeAll(async () => {
  provider = await startForeignProvider();
  partners = await startMockProvider();
  guarded = await startForeignProvider("CANARY-client-secret");
  folder = await mkdtemp(join(tmpdir(), "turnpike-third-party-"));
  const config = join(folder, "turnpike.yaml");
  const { issuer, clientId } = provider;
  await writeFile(
    config,
    JSON.stringify({
      identity: {
        providers: [
          { id: "corp", name: "Acme Corp", issuer, clientId },
          {
            id: "guarded",
            name: "Guarded",
            issuer: guarded.issuer,
            clientId: guarded.clientId,
          },
          {
            id: "partners",
            name: "Partners",
            issuer: partners.issuer,
            clientId: partners.clientId,
            flow: "popup",
            parameters: { prompt: "select_account" },
          },
        ],
      },
    }),
  );
  instance = await startInstance({
    TURNPIKE_CONFIG: config,
    TURNPIKE_CLIENT_SECRETS: `guarded=${guarded.clientSecret ?? ""}`,
  });
  guarded.trust(instance.consoleUrl);
  provider.trust(instance.consoleUrl);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  await partners?.[Symbol.asyncDispose]();
  await guarded?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  // Signs out of the provider.
  await browser.context.clearCookies();
});

async function continueWithCorp(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Continue with Acme Corp" }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

const CONTINUE = "Continue with Partners";

describe("signing in through another provider", () => {
  it("leads there and back to where the person wanted to go, without a broken policy, and lasts over a reload", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [instance.consoleUrl, provider.issuer]);
    await page.goto(`${instance.consoleUrl}/plans`);
    await page.waitForURL(`${instance.consoleUrl}/login`);
    await continueWithCorp(page);
    await page.waitForURL((url) => url.origin === provider.issuer);
    const verified = page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    await passForeignProvider(page, "ada");
    await page.waitForURL(`${instance.consoleUrl}/plans`);

    const answer: unknown = await (await verified).json();
    expect(answer).toMatchObject({
      user: { email: "ada@corp.example", emailVerified: true, name: "ada", isOperator: false },
    });
    await page.reload();
    await page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    expect(page.url()).toBe(`${instance.consoleUrl}/plans`);
    expect(trace.policyViolations).toEqual([]);

    await signOut(page);
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.getByText("You are signed out, here and at Acme Corp.").waitFor();
    expect(new URL(page.url()).search).toBe("");
    await continueWithCorp(page);
    await page.locator("input[name=login]").waitFor();
    await page.close();
  });

  it("says in a plain sentence that the person cancelled, and offers the way again", async () => {
    const page = await browser.context.newPage();
    await page.goto(`${instance.consoleUrl}/login`);
    // A click before that does nothing, and is lost.
    await waitUntilHydrated(page);
    await continueWithCorp(page);
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/login");
    await page
      .getByText(/cancel/i)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Continue with Acme Corp" }).waitFor();
    await page.close();
  });

  it("refuses an answer to a sign-in that another tab started", async () => {
    const page = await browser.context.newPage();
    await page.goto(`${instance.consoleUrl}/login?code=stolen&state=other&iss=${provider.issuer}`);
    await page.getByRole("alert").waitFor();
    expect(await page.evaluate<string | null>(`localStorage.getItem("session")`)).toBeNull();
    expect(new URL(page.url()).search).toBe("");
    await page.close();
  });
});

describe("an account with a connected provider", () => {
  it("is the same by password and by provider, until the provider is disconnected", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [instance.consoleUrl, provider.issuer]);
    const person = makePerson();
    await registerPerson(page, `${instance.consoleUrl}/register`, person);
    await page.goto(`${instance.consoleUrl}/account`);
    const section = page.getByRole("region", { name: "Connected providers" });
    await section.getByRole("button", { name: "Connect Acme Corp" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password", { exact: true }).fill(person.password);
    const opened = await openWindow(page, "Sign in at Acme Corp");
    await passForeignProvider(opened, "grace");
    await waitForClosed(opened);
    await section.getByText("grace@corp.example").waitFor();
    expect(await findAxeViolations(page)).toEqual([]);

    await signOut(page);
    await page.waitForURL(({ pathname }) => pathname === "/login");
    const verified = page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    await continueWithCorp(page);
    await page.waitForURL(({ pathname }) => pathname === "/account" || pathname === "/overview");
    const answer: unknown = await (await verified).json();
    expect(answer).toMatchObject({ user: { email: person.email } });

    await page.goto(`${instance.consoleUrl}/account`);
    await section.getByRole("button", { name: "Disconnect Acme Corp" }).click();
    await dialog.getByLabel("Your password", { exact: true }).fill(person.password);
    await dialog.getByRole("button", { name: "Disconnect", exact: true }).click();
    // This browser signed in by it.
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.getByText("You are signed out, here and at Acme Corp.").waitFor();
    expect(trace.policyViolations).toEqual([]);
    await page.close();
  });
});

describe("signing in through a provider that demands a client secret", () => {
  it("works by the server, which renews the session and keeps the secret", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [instance.consoleUrl, guarded.issuer]);
    const answers: Promise<string>[] = [];
    page.on("response", (response) => {
      if (response.url().startsWith(instance.consoleUrl)) {
        answers.push(response.text().catch(() => ""));
      }
    });
    await page.goto(`${instance.consoleUrl}/plans`);
    await page.waitForURL(`${instance.consoleUrl}/login`);
    await page.getByRole("button", { name: "Continue with Guarded" }).click();
    const traded = page.waitForResponse(`${instance.consoleUrl}/auth/providers/guarded/token`);
    await passForeignProvider(page, "ada");
    await page.waitForURL(`${instance.consoleUrl}/plans`);
    expect((await traded).status()).toBe(200);

    const renewed = page.waitForResponse(`${instance.consoleUrl}/auth/providers/guarded/token`);
    await page.reload();
    expect((await renewed).request().postData()).toContain("grant_type=refresh_token");
    await page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    expect(page.url()).toBe(`${instance.consoleUrl}/plans`);

    await signOut(page);
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.getByText("You are signed out, here and at Guarded.").waitFor();
    expect((await Promise.all(answers)).join()).not.toContain("CANARY");
    expect(trace.policyViolations).toEqual([]);
    await page.close();
  });
});

describe("signing in in a window", () => {
  it("keeps the page, asks in a frame from then on, and says that the provider’s own session goes on", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [instance.consoleUrl, partners.issuer]);
    await page.goto(`${instance.consoleUrl}/plans`);
    await page.getByLabel("E-mail address").fill("typed@before.example");
    const opened = await openWindow(page, CONTINUE);
    await Promise.all([page.waitForURL(`${instance.consoleUrl}/plans`), waitForClosed(opened)]);
    expect(partners.asked.at(-1)?.get("prompt")).toBe("select_account");
    expect(partners.asked.at(-1)?.get("state")).toMatch(/^window\./);

    await page.reload();
    await page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    expect(partners.asked.at(-1)?.get("prompt")).toBe("none");
    expect(partners.asked.at(-1)?.get("state")).toMatch(/^frame\./);
    expect(trace.policyViolations).toEqual([]);

    await signOut(page);
    await page.getByText("Partners still knows you on this device.").waitFor();
    expect(await page.evaluate<string | null>(`localStorage.getItem("session")`)).toBeNull();
    await page.close();
  });

  it("says that the window was closed, denied or blocked, and how to go on", async () => {
    const page = await browser.context.newPage();
    await page.goto(`${instance.consoleUrl}/login`);
    await waitUntilHydrated(page);
    partners.behaviour.isSilent = true;
    const opened = await openWindow(page, CONTINUE);
    await opened.waitForURL(`${partners.issuer}/**`);
    await opened.close();
    await page.getByText("The sign-in window was closed before you were signed in.").waitFor();

    partners.behaviour.isSilent = false;
    partners.behaviour.error = "access_denied";
    await openWindow(page, CONTINUE);
    await page.getByText("You cancelled signing in").waitFor();
    partners.behaviour.error = undefined;

    await page.evaluate("window.open = () => null");
    await page.getByRole("button", { name: CONTINUE }).click();
    await page.getByText("Your browser blocked the window").waitFor();
    await page.getByRole("button", { name: "Continue without a window" }).click();
    await page.waitForURL(`${instance.consoleUrl}/overview`);
    await page.evaluate("localStorage.clear()");
    await page.close();
  });

  it("keeps what was typed while the provider wants to see the person again", async () => {
    // Its clock is moved, and all pages of a browser share it.
    await using later = await startBrowser();
    const page = await later.context.newPage();
    await page.clock.install();
    await page.goto(`${instance.consoleUrl}/device`);
    await page.waitForURL(`${instance.consoleUrl}/login`);
    await openWindow(page, CONTINUE);
    await page.waitForURL(`${instance.consoleUrl}/device`);
    // By its name: until the screen is there, the address is its own and the page is still the one before.
    await page.getByLabel("Code", { exact: true }).fill("BCDF");
    partners.behaviour.error = "login_required";
    await page.clock.fastForward(partners.behaviour.lifetimeSeconds * 1_000);
    await page.getByText("Sign in again to go on").waitFor();
    partners.behaviour.error = undefined;
    const opened = await openWindow(page, "Sign in again");
    await waitForClosed(opened);
    await page.getByText("Sign in again to go on").waitFor({ state: "hidden" });
    expect(await page.getByLabel("Code", { exact: true }).inputValue()).toBe("BCDF");
    expect(page.url()).toBe(`${instance.consoleUrl}/device`);
  });
});
