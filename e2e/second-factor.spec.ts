import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";

const { consoleUrl } = inject("sharedProduct");
const person = makePerson();
let browser: TestBrowser;
let page: Page;
let key = "";
let recoveryCode = "";
/** Whether the authenticator answers by itself, as a person who touches it, or waits. */
let setTouched: (isTouched: boolean) => Promise<void>;

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.context.newPage();
  // An authenticator of Chromium that verifies its person by itself.
  const devTools = await browser.context.newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  setTouched = async (enabled) => {
    await devTools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  };
  await registerPerson(page, `${consoleUrl}/register`, person);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** What an app shows now, or so many steps later (RFC 6238). */
function codeOf(base32: string, stepsLater = 0): string {
  const bits = [...base32].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + stepsLater));
  const secret = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const truncated = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(truncated % 1_000_000).padStart(6, "0");
}

const button = (name: string) => page.getByRole("button", { name, exact: true });
const section = () => page.getByRole("region", { name: "Second factors" });

async function openFactors(): Promise<void> {
  await page.goto(`${consoleUrl}/account`);
  await section().getByText("App for one-time codes").waitFor();
}

async function prove(action: string): Promise<void> {
  await section().getByLabel("Password", { exact: true }).fill(person.password);
  await section().getByRole("button", { name: action, exact: true }).click();
}

async function signOut(): Promise<void> {
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(({ pathname }) => pathname === "/login" || pathname === "/");
  await page.goto(`${consoleUrl}/login`);
}

/** Waits for the page behind the sign-in, whole: what still arrives may move or close an open menu under the pointer. */
async function waitUntilLetIn(): Promise<void> {
  await page.waitForURL(({ pathname }) => pathname !== "/login");
  await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
}

async function givePassword(): Promise<void> {
  await page.getByLabel("E-mail address").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await button("Sign in").click();
  await page.getByRole("heading", { name: "One more step" }).waitFor();
}

describe("a person with second factors", () => {
  it("adds a passkey, with recovery codes, and stays signed in", async () => {
    await openFactors();
    await button("Add a passkey…").click();
    await prove("Add a passkey");
    const codes = section().getByRole("region", { name: /Recovery codes/ });
    await codes.waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    const texts = await codes.getByRole("listitem").allTextContents();
    expect(texts).toHaveLength(10);
    recoveryCode = texts[0] ?? "";
    await button("I have saved them").click();
    await page.getByLabel("Name of the passkey").fill("Laptop");
    await button("Create passkey").click();
    await section().getByText("Laptop").waitFor();
    await section()
      .getByText(/^10 left/)
      .waitFor();
    await page.reload();
    await section().getByText("Laptop").waitFor();
  });

  it("sets up an app by its key and the first code", async () => {
    await openFactors();
    await button("Set up an app…").click();
    await prove("Set up an app");
    await page.getByRole("img", { name: "QR code for your app" }).waitFor();
    key = ((await section().getByRole("code").textContent()) ?? "").replaceAll(" ", "");
    await page.getByLabel("Code of your app").fill("000000");
    await button("Confirm the code").click();
    await section()
      .getByText(/This code is not right/)
      .waitFor();
    await page.getByLabel("Code of your app").fill(codeOf(key));
    await button("Confirm the code").click();
    await button("Remove the app…").waitFor();
  });

  it("signs in by the passkey that the browser offers at the address, without a click on the page", async () => {
    await setTouched(false);
    await signOut();
    const field = page.getByLabel("E-mail address");
    expect(await field.getAttribute("autocomplete")).toBe("username webauthn");
    await setTouched(true);
    await waitUntilLetIn();
  });

  it("signs in with the passkey alone, by a code after the password, and by a recovery code", async () => {
    // No one touches the authenticator before another way is chosen, which ends the browser's offer.
    await setTouched(false);
    await signOut();
    await button("Sign in with a passkey").click();
    await setTouched(true);
    await waitUntilLetIn();
    await setTouched(false);

    await signOut();
    await givePassword();
    expect(await findAxeViolations(page)).toEqual([]);
    // The code of the set-up may be that of the present step, and works once.
    await page.getByLabel("Code of your app").fill(codeOf(key, 1));
    await button("Sign in").click();
    await waitUntilLetIn();

    await signOut();
    await givePassword();
    await button("Use a recovery code").click();
    await page.getByLabel("Recovery code").fill(recoveryCode.toUpperCase());
    await button("Sign in").click();
    await waitUntilLetIn();
    await openFactors();
    await section()
      .getByText(/^9 left/)
      .waitFor();
  });
});
