import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import {
  EMULATED_PROJECT,
  ensureFirebaseTools,
  type FirebaseEmulator,
  startFirebaseEmulator,
} from "./support/firebase-emulator.ts";
import { serveGoogleScript } from "./support/google-script.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { makePerson, type Person } from "./support/sign-in.ts";
import { type PageTrace, watchPage } from "./support/watch-page.ts";

const problem = await ensureFirebaseTools();
if (problem !== undefined) {
  console.warn(`Skipped: ${problem}`);
}

let folder: TempFolder;
let emulator: FirebaseEmulator;
let instance: Instance;
let browser: TestBrowser;
let page: Page;
let trace: PageTrace;

const api = (path: string) => `${emulator.url}/emulator/v1/projects/${EMULATED_PROJECT}/${path}`;
const pathOf = (one: Page) => new URL(one.url()).pathname;

/** Calls the emulator as its owner does. */
async function askOwner(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { authorization: "Bearer owner", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await response.json();
}

/** The newest link that was mailed to an address. */
async function findMailedLink(email: string): Promise<string | undefined> {
  const { oobCodes } = (await askOwner("GET", api("oobCodes"))) as {
    oobCodes: readonly { email: string; oobLink: string }[];
  };
  return oobCodes.findLast((code) => code.email === email)?.oobLink;
}

async function openNewPage(): Promise<{ page: Page; trace: PageTrace }> {
  const opened = await browser.context.newPage();
  const watched = await watchPage(opened, [instance.consoleUrl, emulator.url]);
  return { page: opened, trace: watched };
}

async function fillIn(name: "Create account" | "Sign in", person: Person): Promise<void> {
  await page.getByLabel("E-mail address").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name, exact: true }).click();
}

async function isSignedIn(one = page): Promise<void> {
  await one.waitForURL(({ pathname }) => pathname === "/overview");
  await one.getByRole("heading", { level: 1 }).first().waitFor();
}

async function signUp(person: Person): Promise<void> {
  await page.goto(`${instance.consoleUrl}/register`);
  await fillIn("Create account", person);
  await isSignedIn();
}

async function signOut(one = page): Promise<void> {
  await one.getByRole("button", { name: /^Account/ }).click();
  await one.getByRole("menuitem", { name: "Sign out" }).click();
  await one.waitForURL(({ pathname }) => pathname === "/login");
}

/** Makes up an account in the emulator's window of Google. */
async function passGoogle(google: Page, email: string, name: string): Promise<void> {
  await google.getByRole("button", { name: "Add new account" }).click();
  await google.locator("#email-input").fill(email);
  await google.locator("#display-name-input").fill(name);
  await google.locator("#sign-in").click();
}

const clickGoogle = () => page.getByRole("button", { name: "Continue with Google" }).click();

describe.skipIf(problem !== undefined)("Firebase Authentication, by its emulator", () => {
  beforeAll(async () => {
    emulator = await startFirebaseEmulator();
    folder = await makeTempFolder();
    const config = join(folder.path, "turnpike.yaml");
    const firebase = {
      apiKey: "fake-key",
      authDomain: `${EMULATED_PROJECT}.firebaseapp.com`,
      projectId: EMULATED_PROJECT,
      methods: ["password", "google"],
      emulator: emulator.url,
    };
    await writeFile(config, JSON.stringify({ identity: { builtin: false, firebase } }));
    instance = await startInstance({ TURNPIKE_CONFIG: config, TURNPIKE_MODE: "development" });
    browser = await startBrowser();
    await serveGoogleScript(browser.context);
  });

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await instance?.[Symbol.asyncDispose]();
    await emulator?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    await Promise.all(browser.context.pages().map((one) => one.close()));
    ({ page, trace } = await openNewPage());
    await page.goto(`${instance.consoleUrl}/terms`);
    await page.evaluate(
      `new Promise((done) => {
        const ask = indexedDB.deleteDatabase("firebaseLocalStorageDb");
        ask.onsuccess = ask.onerror = ask.onblocked = () => done();
      })`,
    );
  });

  it("signs a person up, verifies them with the service once, and keeps them over a reload", async () => {
    const person = makePerson();
    const verifications: string[] = [];
    page.on("request", (request) => {
      if (request.url() === `${instance.consoleUrl}/auth/verify`) {
        verifications.push(request.postData() ?? "");
      }
    });
    const verified = page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    await signUp(person);
    expect(await (await verified).json()).toMatchObject({
      user: { email: person.email, emailVerified: false, isOperator: false },
    });
    expect(verifications).toHaveLength(1);
    await page.reload();
    await page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    await isSignedIn();
    expect(trace.policyViolations).toEqual([]);
    expect(trace.foreignRequests).toEqual([]);

    await page.getByText(`Follow the link in the mail to ${person.email}`).waitFor();
    await page.getByRole("button", { name: "I have confirmed it" }).click();
    await page.getByText(/is not confirmed yet/).waitFor();
    await page.getByRole("button", { name: "Send the mail again" }).click();
    await page.getByText(/A new mail is on its way/).waitFor();
    await fetch((await findMailedLink(person.email)) ?? "");
    await page.getByRole("button", { name: "I have confirmed it" }).click();
    await page.getByRole("button", { name: "I have confirmed it" }).waitFor({ state: "detached" });
    await signOut();
  });

  it("says in a sentence that the password is wrong, the address taken, the password weak", async () => {
    const person = makePerson();
    await signUp(person);
    await signOut();
    await fillIn("Sign in", { ...person, password: "something-else-entirely" });
    await page.getByText("The e-mail address or the password is wrong.").waitFor();
    await page.getByRole("link", { name: "Create one" }).click();
    await fillIn("Create account", person);
    await page.getByText("An account with this e-mail address exists.").first().waitFor();
    await fillIn("Create account", { ...makePerson(), password: "short" });
    await page.getByText("Use at least 12 characters.").filter({ visible: true }).waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await fillIn("Sign in", person);
    await isSignedIn();
    await signOut();
  });

  it("sends a link for a new password, which then signs in", async () => {
    const person = makePerson();
    await signUp(person);
    await signOut();
    await page.getByLabel("E-mail address").fill(person.email);
    await page.getByRole("button", { name: "Forgot your password?" }).click();
    await page.getByRole("button", { name: "Send link" }).click();
    await page.getByText("Check your inbox").waitFor();
    const link = new URL((await findMailedLink(person.email)) ?? "");
    expect(link.searchParams.get("mode")).toBe("resetPassword");
    link.searchParams.set("newPassword", "copper-window-47-tide");
    await page.goto(link.href);
    // The link leads back to the console.
    await page.waitForURL(`${instance.consoleUrl}/login`);
    await fillIn("Sign in", { ...person, password: "copper-window-47-tide" });
    await isSignedIn();
    await signOut();
  });

  it("ends the session of an account that was disabled, and refuses it from then on", async () => {
    const person = makePerson();
    await signUp(person);
    const accounts = `${emulator.url}/identitytoolkit.googleapis.com/v1/projects/${EMULATED_PROJECT}/accounts`;
    const { userInfo } = (await askOwner("POST", `${accounts}:query`, {})) as {
      userInfo: readonly { localId: string; email: string }[];
    };
    const localId = userInfo.find(({ email }) => email === person.email)?.localId;
    await askOwner("POST", `${accounts}:update`, { localId, disableUser: true });
    await page.reload();
    await page.waitForURL(({ pathname }) => pathname === "/login");
    await fillIn("Sign in", person);
    await page.getByText("The account was disabled").waitFor();
  });

  it("signs in with Google in a window, and says when the window was closed", async () => {
    await page.goto(`${instance.consoleUrl}/plans`);
    await page.waitForURL(({ pathname }) => pathname === "/login");
    const closed = page.waitForEvent("popup");
    await clickGoogle();
    await (await closed).close();
    await page.getByText("The window was closed").waitFor();

    const opened = page.waitForEvent("popup");
    await clickGoogle();
    await passGoogle(await opened, "grace@example.com", "Grace");
    // To where the person wanted to go.
    await page.waitForURL(({ pathname }) => pathname === "/plans");
    expect(trace.policyViolations).toEqual([]);
    await signOut();
  });

  it("goes to Google and back where the browser blocks the window", async () => {
    await page.goto(`${instance.consoleUrl}/login`);
    await page.evaluate("window.open = () => null");
    await clickGoogle();
    await page.waitForURL(({ origin }) => origin === emulator.url);
    await passGoogle(page, "linus@example.com", "Linus");
    await isSignedIn();
    expect(trace.policyViolations).toEqual([]);
    await signOut();
  });

  it("is one session for all tabs: signed in and out everywhere", async () => {
    const other = await browser.context.newPage();
    await other.goto(`${instance.consoleUrl}/login`);
    await other.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await signUp(makePerson());
    await isSignedIn(other);
    await signOut();
    await other.waitForURL(({ pathname }) => pathname === "/login");
  });

  it("says that the connection failed, and keeps who is signed in", async () => {
    await page.goto(`${instance.consoleUrl}/login`);
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    const asking = (url: URL) => url.origin === emulator.url;
    await page.route(asking, (route) => route.abort());
    await fillIn("Sign in", makePerson());
    await page.getByText("The sign-in service cannot be reached.").first().waitFor();
    await page.unroute(asking);
    await signUp(makePerson());
    await page.route(asking, (route) => route.abort());
    await page.reload();
    await isSignedIn();
    expect(pathOf(page)).toBe("/overview");
    await page.unroute(asking);
    await signOut();
  });
});
