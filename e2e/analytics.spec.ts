import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeProductHome, type ProductHome, type RunningServer } from "@turnpike/testkit/product";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeGeneratedLog } from "../tools/replay/generated-log.fixture.ts";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";

const REAL_LOG = resolve(import.meta.dirname, "../../shared/data/apache_combined.log");
/** Counted in the log itself, with awk. */
const REAL_STATUSES = new Map([
  [200, 9126],
  [206, 45],
  [301, 164],
  [304, 445],
  [403, 2],
  [404, 213],
  [416, 2],
  [500, 3],
]);
const GENERATED_LINES = 2_000;
const DEADLINE_MS = 600_000;

/** Adds up, in the page, by how much what is seen moves without anybody having asked for it. */
const WATCH_SHIFTS = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.shifts += entry.value;
  }).observe({ type: "layout-shift" });
`;

let home: ProductHome;
let temp: TempFolder;
let server: RunningServer;
let browser: TestBrowser;
let page: Page;
let expected: ReadonlyMap<number, number>;
let tenant: string;

async function ask(...args: string[]) {
  const { code, stdout, stderr } = await home.turnpike(...args, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  [home, temp] = [await makeProductHome(), await makeTempFolder()];
  server = await home.startServer();
  const isReal = existsSync(REAL_LOG);
  const log = isReal ? REAL_LOG : join(temp.path, "generated.log");
  expected = isReal ? REAL_STATUSES : await writeGeneratedLog(log, GENERATED_LINES);
  const { code, stderr } = await home.run("tools/replay.ts", log, "--json").ended;
  expect(code, stderr).toBe(0);
  browser = await startBrowser();
  page = await browser.context.newPage();
  const setupLink = /https?:\/\/\S+#setup=[^\s"\\]+/.exec(server.output())?.[0] ?? "";
  await registerPerson(page, setupLink, makePerson());
  const { items: operators } = await ask("operators", "list");
  const { items: tenants } = await ask("tenants", "list");
  tenant = tenants[0].slug;
  await ask("members", "put", "--tenant", tenant, "--role", "owner", operators[0].userId);
}, DEADLINE_MS);

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
  await temp?.[Symbol.asyncDispose]();
}, DEADLINE_MS);

async function open(search = ""): Promise<void> {
  await page.goto(
    `http://localhost:${String(server.port)}/analytics?tenant=${tenant}&live=off${search}`,
  );
  await page.getByRole("table", { name: "Requests by status" }).waitFor();
}

/** What the table of statuses says, by status. */
async function readStatuses(): Promise<Map<number, number>> {
  const rows = page.getByRole("table", { name: "Requests by status" }).locator("tbody tr");
  const cells = await rows.evaluateAll((elements) =>
    elements.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
  );
  const toNumber = (text = "") => Number(text.replaceAll(",", ""));
  return new Map(cells.map(([status, count]) => [toNumber(status), toNumber(count)]));
}

describe("analytics of a replayed access log", () => {
  it("shows exactly its requests by status", async () => {
    await open();
    expect(await readStatuses()).toEqual(expected);
    const total = [...expected.values()].reduce((sum, count) => sum + count, 0);
    await page
      .getByText(`${total.toLocaleString("en")} in total.`)
      .first()
      .waitFor();
  });

  it("narrows to what is clicked and zooms to what is selected, both kept by the address", async () => {
    await open();
    await page.getByRole("button", { name: "404", exact: true }).click();
    await page.waitForURL(/[?&]status=404(&|$)/);
    await expect.poll(readStatuses).toEqual(new Map([[404, expected.get(404)]]));
    await page.reload();
    await expect.poll(readStatuses).toEqual(new Map([[404, expected.get(404)]]));

    await page.getByRole("application", { name: /Requests by outcome/ }).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]from=.*[?&]to=/);
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("from"));
  });

  it("shows a call that arrives while it is looked at, without a reload and without moving", async () => {
    const { key } = await ask("keys", "create", "--tenant", tenant, "--name", "Late caller");
    await open("&range=1h");
    await page.getByRole("button", { name: "Paused: resume live updates" }).click();
    await page.evaluate(WATCH_SHIFTS);
    const before = (await readStatuses()).get(200) ?? 0;
    const answer = await fetch(`http://localhost:${String(server.gatewayPort)}/v1/cities/berlin`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    await expect.poll(async () => (await readStatuses()).get(200)).toBe(before + 1);
    // A reload would have lost it.
    expect(await page.evaluate("globalThis.shifts")).toBe(0);
  });

  it("answers a question by the keyboard alone, changed by a chip and a follow-up, pinned, and shared by its address", async () => {
    const question = "requests by status in the last 24 hours";
    await page.goto(
      `http://localhost:${String(server.port)}/ai-intelligence?tenant=${tenant}&zone=UTC`,
    );
    const box = page.getByRole("textbox", { name: "Question" });
    await box.focus();
    await page.keyboard.type(question);
    await page.keyboard.press("Enter");
    const answer = page.getByRole("table", { name: question });
    const cellOf = (status: string) => answer.getByRole("row", { name: new RegExp(`^${status}`) });
    const counted = expected.get(404) ?? 0;
    await cellOf("404").getByText(counted.toLocaleString("en"), { exact: true }).waitFor();

    await page.getByRole("combobox", { name: "Measure" }).press("Enter");
    // Letters that are typed before the list has the focus are lost.
    await page.getByRole("option", { name: "Errors" }).press("Enter");
    await page.waitForURL(/[?&]edited=/);
    await page.getByRole("combobox", { name: "Measure" }).getByText("Errors").waitFor();
    // Errors are answers of 500 and above.
    await cellOf("404").getByText("0", { exact: true }).waitFor();

    await box.focus();
    await page.keyboard.type("only 404");
    await page.keyboard.press("Enter");
    await page.getByText(`${question} → only 404`).waitFor();
    const sentence = page.getByText(new RegExp(`${counted.toLocaleString("en")} requests`));
    const said = (await sentence.first().textContent()) ?? "";
    await page.getByRole("button", { name: "Pin to overview" }).press("Enter");
    await page.getByRole("button", { name: "Unpin from overview" }).waitFor();

    const shared = page.url();
    await page.goto(`http://localhost:${String(server.port)}/overview?tenant=${tenant}`);
    await page.getByText(said).waitFor();
    await page.goto(shared);
    await page.reload();
    await page.getByText(said).waitFor();
    await page.setViewportSize({ width: 360, height: 900 });
    expect(await measureOverflowPx(page)).toBe(0);
  });

  it.each([
    ["light", 1440],
    ["dark", 1440],
    ["light", 360],
    ["dark", 360],
  ] as const)("has no barrier and no sideways scroll, %s at %i px", async (theme, widthPx) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: widthPx, height: 900 });
    await open("&compare=previous&tables=latency");
    await page.getByRole("application", { name: /Requests by outcome/ }).waitFor();
    expect(await findAxeViolations(page, { rules: rulesIn(theme) })).toEqual([]);
    expect(await measureOverflowPx(page)).toBe(0);
  });
});
