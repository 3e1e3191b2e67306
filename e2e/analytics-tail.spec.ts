import { readFile } from "node:fs/promises";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome, type RunningServer } from "@turnpike/testkit/product";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";

const DEADLINE_MS = 600_000;
const CALLS = 12;

let home: ProductHome;
let server: RunningServer;
let browser: TestBrowser;
let page: Page;
let tenant: string;
let key: string;

async function ask(...args: string[]) {
  const { code, stdout, stderr } = await home.turnpike(...args, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  // Two workers: the one that serves a call is not always the one that holds the stream.
  home = await makeProductHome({ TURNPIKE_WORKERS: "2" });
  server = await home.startServer();
  browser = await startBrowser();
  page = await browser.context.newPage();
  // Workers are ready a moment before the main thread says so.
  const findSetupLink = () => /https?:\/\/\S+#setup=[^\s"\\]+/.exec(server.output())?.[0];
  await pollUntil("the setup link", () => findSetupLink() !== undefined);
  await registerPerson(page, findSetupLink() ?? "", makePerson());
  const { items: operators } = await ask("operators", "list");
  // A plan whose rate limit no journey reaches, however fast it calls.
  ({ slug: tenant } = await ask("tenants", "create", "--name", "Acme", "--plan", "scale"));
  await ask("members", "put", "--tenant", tenant, "--role", "owner", operators[0].userId);
  ({ key } = await ask("keys", "create", "--tenant", tenant, "--name", "Tail caller"));
}, DEADLINE_MS);

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
}, DEADLINE_MS);

async function open(search: string): Promise<void> {
  await page.goto(
    `http://localhost:${String(server.port)}/analytics?tenant=${tenant}&live=off${search}`,
  );
}

/** Calls on connections of their own, so that every worker serves some. */
async function call(path: string, count: number, credential = key): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const answer = await fetch(`http://localhost:${String(server.gatewayPort)}${path}`, {
      headers: { authorization: `Bearer ${credential}`, connection: "close" },
    });
    await answer.arrayBuffer();
  }
}

const rows = () => page.getByRole("region", { name: "Newest first" }).locator("tbody tr");
const shown = () => page.getByText(/^\d+ shown/).textContent();

describe("live calls", () => {
  it("show every call as it happens, from every worker", async () => {
    await open("&tab=live");
    await page.getByText("Live", { exact: true }).waitFor();
    await call("/v1/cities/berlin?secret=hidden", CALLS);
    await expect.poll(shown).toMatch(new RegExp(`^${String(CALLS)} shown`));
    const text = (await rows().allTextContents()).join("\n");
    expect(text).toContain("/v1/cities/berlin");
    expect(text).toContain("Tail caller");
    expect(text).not.toContain("hidden");
  });

  it("are held back while they are paused, and shown when they go on", async () => {
    await page.getByRole("button", { name: "Pause" }).click();
    await call("/v1/cities/paris", 3);
    await page.getByText(/, 3 new/).waitFor();
    expect(await rows().count()).toBe(CALLS);
    await page.getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => rows().count()).toBe(CALLS + 3);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText(/Calls appear here as they happen/).waitFor();
  });

  it("are filtered by the server, as the address says", async () => {
    await open("&tab=live&status_class=4xx");
    await page.getByText("Live", { exact: true }).waitFor();
    await call("/v1/cities/berlin", 2);
    await call("/v1/nowhere", 2);
    await expect.poll(() => rows().count()).toBe(2);
    expect((await rows().allTextContents()).every((text) => text.includes("404"))).toBe(true);
  });
});

describe("recent calls", () => {
  it("are opened from the live rows, by the id of the request and by their filters", async () => {
    const answer = await fetch(`http://localhost:${String(server.gatewayPort)}/v1/nowhere`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await answer.arrayBuffer();
    const requestId = answer.headers.get("x-request-id") ?? "";
    await expect.poll(() => rows().count()).toBe(3);
    await rows().first().getByRole("button").click();
    await page.getByRole("dialog").getByText(requestId).waitFor();
    await page.keyboard.press("Escape");

    await open("&tab=calls&status_class=4xx&range=1h");
    await page.getByText(/^3 shown, back to/).waitFor();
    await page.getByRole("textbox", { name: "Find a request by its id" }).fill(requestId);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`request=${requestId}`));
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Tail caller").waitFor();
    expect(await dialog.textContent()).toContain("this call is not billed");
    // The link leads to the same call.
    await page.reload();
    await dialog.getByText(requestId).waitFor();
  });
});

describe("exports", () => {
  it("are written in the background and downloaded, with the numbers of the API", async () => {
    // A busy machine commits what was called last some seconds later.
    const countCommitted = async () => (await ask("usage", "--tenant", tenant)).calls;
    await expect.poll(countCommitted).toBe(CALLS + 3 + 4 + 1);
    await open("&range=1h");
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.getByRole("combobox", { name: "What" }).click();
    await page.getByRole("option", { name: "Requests by status" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("By status");
    await page.getByRole("button", { name: "Export usage" }).click();
    await page.waitForURL(/[?&]tab=exports/);
    await page.getByRole("button", { name: "Download By status" }).waitFor();
    const begun = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download By status" }).click();
    const download = await begun;
    expect(download.suggestedFilename()).toMatch(/^By status .*\.csv$/);
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
    // What the journeys before have called.
    expect(lines).toEqual(["status,requests", `200,${String(CALLS + 3 + 2)}`, "404,3"]);
    // The address alone opens it, and not for long; nothing keeps it.
    const answer = await fetch(download.url());
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    const forged = download.url().replace(/expires=\d/, "expires=9");
    expect((await fetch(forged)).status).toBe(404);
  });
});

describe("saved views", () => {
  it("are saved, opened, begun with, found by the palette and deleted", async () => {
    await open("&range=7d&status_class=4xx");
    await page.getByRole("button", { name: "Views", exact: true }).click();
    await page.getByRole("menuitem", { name: "Save as new view…" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Refused");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("button", { name: "Refused", exact: true }).waitFor();
    await page.getByRole("button", { name: "Refused", exact: true }).click();
    // The next page reads what this one has stored.
    const stored = page.waitForResponse((response) => response.request().method() === "PUT");
    await page.getByRole("menuitem", { name: "Open by default" }).click();
    await stored;

    await page.goto(`http://localhost:${String(server.port)}/analytics?tenant=${tenant}`);
    await page.waitForURL(/[?&]status_class=4xx/);
    await page.getByRole("button", { name: "Compare with previous" }).click();
    await page.getByRole("button", { name: "Refused (changed)" }).waitFor();

    await page.goto(`http://localhost:${String(server.port)}/overview?tenant=${tenant}`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search or go to…").fill("refused");
    await page.getByRole("option", { name: /Refused/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]status_class=4xx/);
    await page.getByRole("button", { name: "Refused", exact: true }).click();
    await page.getByRole("menuitem", { name: "Delete view…" }).click();
    await page.getByRole("button", { name: "Delete view" }).click();
    await page.getByRole("button", { name: "Views", exact: true }).waitFor();
  });
});

describe("the screens", () => {
  it.each([
    ["light", 1440],
    ["dark", 360],
  ] as const)("have no barrier and no sideways scroll, %s at %i px", async (theme, widthPx) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: widthPx, height: 900 });
    await open("&tab=live");
    await page.getByText("Live", { exact: true }).waitFor();
    await call("/v1/cities/berlin", 2);
    await expect.poll(() => rows().count()).toBe(2);
    expect(await findAxeViolations(page)).toEqual([]);
    expect(await measureOverflowPx(page)).toBe(0);
    await open("&tab=calls&range=1h");
    await rows().first().getByRole("button").click();
    await page.getByRole("dialog").getByText("Tail caller").waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    expect(await measureOverflowPx(page)).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await findAxeViolations(page)).toEqual([]);
    await open("");
    await page.getByRole("button", { name: "Views", exact: true }).waitFor();
    expect(await measureOverflowPx(page)).toBe(0);
    await open("&tab=exports");
    await page.getByRole("list", { name: "Exports" }).waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    expect(await measureOverflowPx(page)).toBe(0);
  });
});
