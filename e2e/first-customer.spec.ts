import { join } from "node:path";
import { isLoopback, recordConnections } from "@turnpike/testkit/record-connections";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { makePerson } from "./support/sign-in.ts";
import { type PageTrace, watchPage } from "./support/watch-page.ts";

const SCREENS = [
  "/overview",
  "/quickstart",
  "/api-keys",
  "/analytics",
  "/ai-intelligence",
  "/plans",
  "/billings",
  "/tenants",
] as const;

let instance: Instance;
let folder: TempFolder;
let connections: ReturnType<typeof recordConnections>;
let browser: TestBrowser;
let page: Page;
let trace: PageTrace;
const person = makePerson();

beforeAll(async () => {
  folder = await makeTempFolder();
  connections = recordConnections(join(folder.path, "connections"));
  instance = await startInstance(connections.environment);
  browser = await startBrowser();
  page = await browser.context.newPage();
  trace = await watchPage(page, [instance.consoleUrl]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const main = () => page.getByRole("main");
const pathOf = () => new URL(page.url()).pathname;

/** Follows a link of the sidebar. */
async function goTo(name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Waits until nothing is loading, and finds what keeps the screen from being right. */
async function findFaults(): Promise<string[]> {
  const loading = page.locator("[role=status][aria-label^=Loading], [aria-busy=true]");
  await loading.first().waitFor({ state: "detached" });
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const violation of await findAxeViolations(page, { rules: rulesIn(colorScheme) })) {
      faults.push(`${pathOf()} ${colorScheme}: ${violation}`);
    }
  }
  await page.setViewportSize({ width: 360, height: 800 });
  const overflowPx = await measureOverflowPx(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  return overflowPx > 0 ? [...faults, `${pathOf()}: ${String(overflowPx)} px too wide`] : faults;
}

// One journey in parts: each begins where the one before has ended.
describe("a first customer on an empty instance", () => {
  it("comes by the landing page and registers, and is an ordinary user", async () => {
    await page.goto(instance.consoleUrl);
    await page.getByRole("link", { name: "Create an account" }).first().click();
    await page.waitForURL(({ pathname }) => pathname === "/register");
    await page.getByLabel("E-mail address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await goTo("Tenants");
    await expect(page.getByRole("tab", { name: "All tenants" }).count()).resolves.toBe(0);
  });

  it("finds no screen empty without a reason before there is a tenant", async () => {
    const faults: string[] = [];
    for (const path of SCREENS) {
      await page.goto(instance.consoleUrl + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      faults.push(...(await findFaults()));
    }
    expect(faults).toEqual([]);
  }, 240_000);

  it("creates a tenant", async () => {
    await goTo("Overview");
    await main().getByRole("button", { name: "Create tenant" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Blue Heron");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await main().getByText("Finish setting up").waitFor();
    expect(new URL(page.url()).searchParams.get("tenant")).toBe("blue-heron");
  });

  it("creates a key in the quickstart, calls, and sees the call arrive without a reload", async () => {
    await goTo("Quickstart");
    await main().getByRole("button", { name: "Create key" }).click();
    await main().getByText("It is shown only this once.").waitFor();
    const text = (await main().textContent()) ?? "";
    const key = /tp_live_[0-9A-Za-z]{38}/.exec(text)?.[0] ?? "";
    // The sample carries the key and the address, and runs as it stands.
    const sample = await main()
      .getByText(/^curl -i/)
      .textContent();
    const address = /"(http:[^"]+)"/.exec(sample ?? "")?.[1] ?? "";
    expect(sample).toContain(key);
    expect(address.startsWith(instance.gatewayUrl)).toBe(true);
    await main().getByText("Listening for your first call…").waitFor();
    const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("ratelimit")).toContain('"requests";r=49999;');
    await main().getByText("Your first call has arrived.").waitFor();
    await fetch(address, { headers: { authorization: `Bearer ${key}` } });
    await main().getByText("2 calls have arrived.").waitFor();
    await main()
      .getByText(`GET ${new URL(address).pathname.replace("berlin", "")}`)
      .first()
      .waitFor();
    expect(page.url()).not.toContain(key);
    const stored = await page.evaluate<string>(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])",
    );
    expect(stored).not.toContain(key);
    // It is not left behind by a link either.
    await page.getByRole("navigation").getByRole("link", { name: "Billings", exact: true }).click();
    const question = page.getByRole("alertdialog", { name: "Leave without saving the secret?" });
    await question.getByRole("button", { name: "Stay" }).click();
    await main().getByRole("button", { name: "I have stored it" }).click();
    await main().getByText("It is shown only this once.").waitFor({ state: "detached" });
    // After a reload nothing shows the key again, and the page says what to do about it.
    await page.reload();
    await main().getByRole("button", { name: "Roll this key" }).waitFor();
    await main().getByRole("button", { name: "Create another key" }).waitFor();
  });

  it("sees the next calls in analytics while it is open", async () => {
    const { key } = await makeKey();
    await goTo("Analytics");
    const requests = main().getByRole("region", { name: "Requests by status" });
    await requests.getByRole("row", { name: /200/ }).waitFor();
    const before = await requests.textContent();
    for (let call = 0; call < 4; call += 1) {
      await fetch(`${instance.gatewayUrl}/nothing-here`, {
        headers: { authorization: `Bearer ${key}` },
      });
    }
    const row = requests.getByRole("row", { name: /404/ });
    await row.getByRole("cell", { name: "4", exact: true }).waitFor();
    expect(before).not.toContain("404");
  });

  it("finds every screen clean once there is something on it", async () => {
    const faults: string[] = [];
    for (const path of SCREENS) {
      await page.goto(instance.consoleUrl + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      faults.push(...(await findFaults()));
    }
    expect(faults).toEqual([]);
  }, 240_000);

  it("signs out, and is kept out", async () => {
    await page.goto(`${instance.consoleUrl}/billings`);
    await page.getByRole("heading", { level: 1, name: "Billings" }).waitFor();
    await page.getByRole("button", { name: new RegExp(person.email) }).click();
    expect(trace.consoleErrors).toEqual([]);
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/" || pathname === "/login");
    for (const path of SCREENS) {
      await page.goto(instance.consoleUrl + path);
      await page.waitForURL(({ pathname }) => pathname === "/login");
    }
    await page.goBack();
    await page.waitForURL(({ pathname }) => pathname === "/login");
  });

  it("registers a second company by name, which opens the quickstart of its tenant", async () => {
    const second = makePerson();
    // A screen that was asked for before signing in would be opened instead.
    await page.evaluate("sessionStorage.clear()");
    await page.goto(`${instance.consoleUrl}/register`);
    await page.getByLabel("Company or project").fill("Grey Egret");
    await page.getByLabel("E-mail address").fill(second.email);
    await page.getByLabel("Password", { exact: true }).fill(second.password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { level: 1, name: "Quickstart" }).waitFor();
    await main().getByText("1 of 5 steps finished").waitFor();
    expect(new URL(page.url()).searchParams.get("tenant")).toBe("grey-egret");
    // Another visit makes no second one.
    const [verified] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/auth/verify")),
      page.goto(`${instance.consoleUrl}/overview`),
    ]);
    expect(await verified.json()).toMatchObject({ tenants: [{ slug: "grey-egret" }] });
  });

  it("broke no policy, requested nothing from elsewhere and logged no error on the way", () => {
    expect(trace.policyViolations).toEqual([]);
    expect(trace.foreignRequests).toEqual([]);
    expect(trace.pageErrors).toEqual([]);
    // What was under way when the person signed out is refused, and the browser logs that.
    const others = trace.consoleErrors.filter((text) => !text.includes("status of 401"));
    expect(others).toEqual([]);
  });

  it("and the product called no one: all that its processes and threads connected to or looked up is this machine", async () => {
    const attempts = await connections.readAttempts();
    expect(attempts.filter((attempt) => !isLoopback(attempt))).toEqual([]);
    // Its database and the demo upstream: what is not seen would be missing here, too.
    expect(attempts.filter(({ how }) => how === "connect").length).toBeGreaterThan(1);
  });
});

/** Makes a key by the API as the person who is signed in, with the token that the console sends. */
async function makeKey(): Promise<{ key: string }> {
  const [request] = await Promise.all([
    page.waitForRequest((sent) => /\/v1\/tenants\/ten_\w+\/limits$/.test(sent.url())),
    goTo("Billings"),
  ]);
  const tenantUrl = request.url().replace(/\/limits$/, "");
  const response = await fetch(`${tenantUrl}/keys`, {
    method: "POST",
    headers: {
      authorization: (await request.headerValue("authorization")) ?? "",
      "content-type": "application/json",
    },
    body: JSON.stringify({ name: "Second key" }),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as { key: string };
}
