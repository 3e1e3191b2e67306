import { join } from "node:path";
import { makeProductHome, type ProductHome, type RunningServer } from "@turnpike/testkit/product";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeGeneratedLog } from "../tools/replay/generated-log.fixture.ts";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";

const DEADLINE_MS = 600_000;
const LINES = 130;

let home: ProductHome;
let temp: TempFolder;
let server: RunningServer;
let browser: TestBrowser;
/** Of an operator who belongs to no tenant. */
let page: Page;
/** What `turnpike import` printed. */
let printed: string;

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.turnpike(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

beforeAll(async () => {
  [home, temp] = [await makeProductHome(), await makeTempFolder()];
  server = await home.startServer();
  await run("tenants", "create", "--name", "Old Site");
  await run("keys", "create", "--tenant", "old-site", "--name", "Worker");
  const log = join(temp.path, "access.log");
  await writeGeneratedLog(log, LINES);
  printed = /See it at (\S+)/.exec(await run("import", "--tenant", "old-site", log))?.[1] ?? "";
  browser = await startBrowser();
  page = await browser.context.newPage();
  const setupLink = /https?:\/\/\S+#setup=[^\s"\\]+/.exec(server.output())?.[0] ?? "";
  await registerPerson(page, setupLink, makePerson());
  await page.getByText("You are now the operator of this installation.").waitFor();
}, DEADLINE_MS);

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
  await temp?.[Symbol.asyncDispose]();
}, DEADLINE_MS);

const at = (path: string) => `http://localhost:${String(server.port)}${path}`;
const sign = (of: Page) => of.getByText("You are viewing Old Site as operator, read-only.");
const goTo = (name: string) =>
  page
    .getByRole("navigation", { name: "Screens" })
    .getByRole("link", { name, exact: true })
    .click();

describe("an operator who belongs to no tenant", () => {
  it("opens a customer's screens from All tenants, and finds the way back", async () => {
    await page.goto(at("/operator/tenants"));
    await page.getByRole("link", { name: "Old Site" }).click();
    await page.waitForURL(/\/overview\?tenant=old-site/);
    await sign(page).waitFor();
    await page.getByText("Recent activity").waitFor();

    await goTo("Analytics");
    await page.getByRole("button", { name: "Export", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /Alert me|Views/ }).count()).toBe(0);
    for (const name of ["Live calls", "Exports", "Alerts"]) {
      await page.getByRole("tab", { name }).click();
      await page.getByRole("tabpanel", { name }).waitFor();
    }

    await goTo("API keys");
    await page.getByText("You are viewing these keys as operator").waitFor();
    expect(await page.getByRole("button", { name: /Create key|Import keys/ }).count()).toBe(0);
    await page.getByRole("row").filter({ hasText: "Worker" }).click();
    const panel = page.getByRole("dialog", { name: "Worker" });
    await panel.getByText("Audit trail").waitFor();
    expect(await panel.getByRole("button", { name: /Roll|Revoke|Edit|Disable/ }).count()).toBe(0);
    await page.keyboard.press("Escape");

    await goTo("Billings");
    await page.getByRole("heading", { name: "Quotas" }).waitFor();
    await goTo("Plans");
    await page.getByText("Old Site", { exact: true }).last().waitFor();
    await goTo("Tenants");
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByText("its owners and admins can change these").waitFor();
    expect(new URL(page.url()).searchParams.get("tenant")).toBe("old-site");

    await page
      .getByRole("region", { name: "Viewing as operator" })
      .getByRole("link", { name: "All tenants" })
      .click();
    await page.waitForURL((url) => url.pathname === "/operator/tenants" && url.search === "");
    await sign(page).waitFor({ state: "hidden" });
  });

  it("opens the address that an import prints, in both themes and on a phone", async () => {
    expect(printed).toContain("/analytics?tenant=old-site");
    await page.goto(printed);
    await sign(page).waitFor();
    await page
      .getByText(`${String(LINES)} in total.`)
      .first()
      .waitFor();
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      expect(await findAxeViolations(page, { rules: rulesIn(theme) }), theme).toEqual([]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await measureOverflowPx(page)).toBe(0);
    await sign(page).waitFor();
  });
});

describe("anybody else", () => {
  it("learns nothing at the same address, on the screen and from the API", async () => {
    const tenants = JSON.parse(await run("tenants", "list", "--json"));
    const { tenantId } = tenants.items[0];
    const other = await startBrowser();
    try {
      const own = await other.context.newPage();
      let authorization = "";
      own.on("request", (request) => {
        authorization = request.headers()["authorization"] ?? authorization;
      });
      await registerPerson(own, at("/register"), makePerson());
      await own.goto(printed);
      await own.getByText("You have no tenant yet").waitFor();
      expect(await own.getByText("Old Site").count()).toBe(0);

      const ask = async (path: string) => {
        const reply = await fetch(at(`/v1${path}`), { headers: { authorization } });
        return { status: reply.status, body: await reply.json() };
      };
      expect(await ask("/tenants?slug=old-site")).toMatchObject({
        status: 200,
        body: { items: [] },
      });
      expect((await ask(`/tenants/${tenantId}`)).status).toBe(404);
      expect((await ask(`/tenants/${tenantId}/limits`)).status).toBe(404);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });
});
