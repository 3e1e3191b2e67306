import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { makePerson } from "./support/sign-in.ts";
import { type PageTrace, watchPage } from "./support/watch-page.ts";

/** What the console says, and what the server does. */
const CATALOGUES = ["de.po", "server/server-words-de.po", "server/answer-words-de.po"].map(
  (name) => new URL(`../apps/console/src/locales/${name}`, import.meta.url),
);
/** Long enough to be a sentence, which no other language has by chance. */
const SENTENCE_LENGTH_MIN = 25;

/** English sentences without placeholders that read otherwise in German. */
function readEnglishSentences(): string[] {
  const entries = CATALOGUES.flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/^msgid "(?<english>.*)"\nmsgstr "(?<german>.*)"$/gm),
  ]);
  return entries.flatMap(({ groups }) => {
    const { english = "", german = "" } = groups ?? {};
    const isPlain = !/[\\{<]/.test(english) && english.length >= SENTENCE_LENGTH_MIN;
    return isPlain && english !== german ? [english] : [];
  });
}

let instance: Instance;
let browser: TestBrowser;
let page: Page;
let trace: PageTrace;
beforeAll(async () => {
  instance = await startInstance();
  browser = await startBrowser();
  page = await browser.context.newPage();
  await page.setExtraHTTPHeaders({ "accept-language": "de-DE,de;q=0.9,en;q=0.5" });
  trace = await watchPage(page, [instance.consoleUrl]);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
});

const languageOf = () => page.evaluate<string>("document.documentElement.lang");

/** Opens a screen, and finds what is English on it or wider than a phone. */
async function findFaults(path: string, english: readonly string[]): Promise<string[]> {
  await page.goto(instance.consoleUrl + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  const text = (await page.locator("#root").textContent()) ?? "";
  const found = english.filter((sentence) => text.includes(sentence));
  await page.setViewportSize({ width: 360, height: 800 });
  const overflowPx = await measureOverflowPx(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  return [
    ...found.map((sentence) => `${path}: ${sentence}`),
    ...(overflowPx > 0 ? [`${path}: ${String(overflowPx)} px too wide`] : []),
  ];
}

// One journey in parts: each begins where the one before has ended.
describe("a person whose browser prefers German", () => {
  const english = readEnglishSentences();

  it("reads public pages in German, before and after scripts have run", async () => {
    expect(english.length).toBeGreaterThan(500);
    const faults: string[] = [];
    for (const path of ["/", "/register", "/login"]) {
      faults.push(...(await findFaults(path, english)));
      expect(await languageOf()).toBe("de");
    }
    expect(faults).toEqual([]);
    const served = await page.request.get(`${instance.consoleUrl}/`, {
      headers: { "accept-language": "de" },
    });
    expect(served.headers()["vary"]).toMatch(/accept-language.*accept-encoding/i);
    expect(await served.text()).toContain("Konto erstellen");
  });

  it("reads in German why the server refuses a sign-in", async () => {
    await page.goto(`${instance.consoleUrl}/login`);
    await page.getByLabel("E-Mail-Adresse").fill("niemand@example.com");
    await page.locator("input[name=password]").fill("wrong password here");
    await page.getByRole("button", { name: "Anmelden", exact: true }).click();
    await page.getByText("Die E-Mail-Adresse oder das Passwort ist falsch").first().waitFor();
  });

  it("registers, and finds every screen in German", async () => {
    const person = makePerson();
    await page.goto(`${instance.consoleUrl}/register`);
    await page.getByLabel("Firma oder Projekt").fill("Graureiher");
    await page.getByLabel("E-Mail-Adresse").fill(person.email);
    await page.locator("input[name=password]").fill(person.password);
    await page.getByRole("button", { name: "Konto erstellen" }).click();
    await page.getByRole("heading", { level: 1, name: "Schnellstart" }).waitFor();
    const faults: string[] = [];
    for (const screen of [
      ...["overview", "quickstart", "api-keys", "analytics", "ai-intelligence"],
      ...["plans", "billings", "tenants", "account"],
    ]) {
      faults.push(...(await findFaults(`/${screen}`, english)));
    }
    expect(faults).toEqual([]);
  }, 240_000);

  it("presses a question in German, and is answered in German", async () => {
    await page.goto(`${instance.consoleUrl}/ai-intelligence`);
    await page.getByRole("button", { name: "Anfragen pro Tag", exact: true }).click();
    await page.getByText(/^Es gab (?:keine|[\d.]+) Anfragen? vom \d+\. .*\d{4}/).waitFor();
    await page.getByText("Angenommen: die letzten 30 Tage und heute", { exact: false }).waitFor();
    const { pathname, search } = new URL(page.url());
    expect(await findFaults(`${pathname}${search}`, english)).toEqual([]);
  });

  it("chooses English, and keeps it", async () => {
    await page.goto(`${instance.consoleUrl}/account`);
    await page.getByRole("button", { name: /^Konto: / }).click();
    await page.getByRole("menuitem", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: "Your account" }).waitFor();
    expect(await languageOf()).toBe("en");
    await page.goto(`${instance.consoleUrl}/plans`);
    await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
  });

  it("met no error of the browser on the way", () => {
    expect([trace.pageErrors, trace.policyViolations, trace.foreignRequests]).toEqual([[], [], []]);
  });
});
