/**
 * Takes a picture of every screen of the console in every state and look, from an instance of its own, and writes a page that
 * shows them all. Ends with 1 when a screen is wider than its window, moves though it should not, breaks a rule of axe, or
 * reports an error to the browser's console.
 *
 * `npm run catalogue -- [--screen NAME]... [--state NAME]... [folder]`
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeProductHome } from "@turnpike/testkit/product";
import type { Page } from "playwright-core";
import { startBrowser } from "../e2e/support/browser.ts";
import { findAxeViolations, rulesIn } from "../e2e/support/find-axe-violations.ts";
import { measureOverflowPx } from "../e2e/support/measure-overflow.ts";
import { type Asked, breakAnswers, noteAsked } from "./catalogue/answers.ts";
import { applyLook, type Look, looksOf } from "./catalogue/looks.ts";
import {
  claimInstallation,
  makeTenant,
  makeTenantsWithData,
  registerViewer,
} from "./catalogue/make-states.ts";
import { SCREENS, type Screen } from "./catalogue/screens.ts";
import { drawPage, settleLoadingPage, settlePage } from "./catalogue/settle-page.ts";
import { type Picture, renderIndex } from "./catalogue/write-index.ts";

const STATES = ["empty", "ready", "loading", "partial", "error", "denied", "many", "longest"];
/** Screens that list keys, or what happened to them. */
const SCREENS_OF_MANY = ["overview", "api-keys", "analytics", "tenants-audit", "operator-audit"];
/** What the browser itself writes about an answer that is no success: expected where the catalogue made it fail. */
const FAILED_ANSWER = "Failed to load resource";

const { values, positionals } = parseArgs({
  options: {
    screen: { type: "string", multiple: true, default: SCREENS.map(({ name }) => name) },
    state: { type: "string", multiple: true, default: STATES },
  },
  allowPositionals: true,
});
const unknown = [
  ...values.screen.filter((name) => !SCREENS.some((screen) => screen.name === name)),
  ...values.state.filter((name) => !STATES.includes(name)),
];
if (unknown.length > 0 || positionals.length > 1) {
  console.error(`No such screen or state: ${unknown.join(", ")}
Usage: npm run catalogue -- [--screen NAME]... [--state NAME]... [folder]
Screens: ${SCREENS.map(({ name }) => name).join(", ")}
States: ${STATES.join(", ")}`);
  process.exit(2);
}
const folder = positionals[0] ?? "test-results/catalogue";
const screens = SCREENS.filter(({ name }) => values.screen.includes(name));
const pictures: Picture[] = [];
/** Screens that did not come to rest, which have no picture. */
const restless: string[] = [];

await mkdir(folder, { recursive: true });
await using home = await makeProductHome();
const server = await home.startServer();
const consoleUrl = `http://localhost:${String(server.port)}`;
await using browser = await startBrowser();
const page = await browser.context.newPage();
const troubles = noteTroubles(page);

for (const screen of screensFor("ready", "visitor")) {
  await attempt(`${screen.name}, ready`, async () => {
    await open(page, screen.path);
    await takeEach(page, { screen, state: "ready", troubles });
  });
}
await claimInstallation(page, server.output());
const empty = await makeTenant(home, { name: "Blue Heron Maps", slug: "blue-heron-maps" });
for (const screen of screensFor("empty", "member", "operator")) {
  await attempt(`${screen.name}, empty`, async () => {
    await open(page, screen.path, empty);
    await takeEach(page, { screen, state: "empty", troubles });
  });
}

const tenants = await makeTenantsWithData(home);
const frame = await readAsked("/overview/nothing-here");
for (const screen of screensFor(undefined, "member", "operator")) {
  await attempt(screen.name, () => takeWithData(screen));
}
for (const screen of screensFor("longest", "member", "operator")) {
  await attempt(`${screen.name}, longest`, async () => {
    await open(page, screen.path, tenants.longest);
    await takeEach(page, { screen, state: "longest", troubles });
  });
}
for (const screen of screensFor("many", "member", "operator")) {
  if (SCREENS_OF_MANY.includes(screen.name)) {
    await attempt(`${screen.name}, many`, async () => {
      await open(page, screen.path, tenants.many);
      await takeEach(page, { screen, state: "many", troubles });
    });
  }
}
if (values.state.includes("denied")) {
  await using other = await startBrowser();
  const viewer = await other.context.newPage();
  const troublesOfViewer = noteTroubles(viewer);
  await registerViewer(home, { page: viewer, consoleUrl, tenant: tenants.demo });
  for (const screen of screensFor("denied", "member", "operator")) {
    await attempt(`${screen.name}, denied`, async () => {
      await open(viewer, screen.path, tenants.demo);
      await takeEach(viewer, { screen, state: "denied", troubles: troublesOfViewer });
    });
  }
}

const index = join(folder, "index.html");
await writeFile(index, renderIndex(pictures));
const faulty = pictures.filter(({ findings }) => findings.length > 0);
console.log(
  `${index}: ${String(pictures.length)} pictures, ${String(faulty.length)} with findings`,
);
console.log([`${String(restless.length)} without a picture`, ...restless].join("\n  "));
process.exitCode = faulty.length + restless.length > 0 ? 1 : 0;

/** One screen that does not come to rest keeps no other from being looked at. */
async function attempt(what: string, take: () => Promise<void>): Promise<void> {
  try {
    await take();
  } catch (error) {
    restless.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** All states of a screen of the demo's tenant. */
async function takeWithData(screen: Screen): Promise<void> {
  const asked = new Set([...(await readAsked(screen.path))].filter((path) => !frame.has(path)));
  if (values.state.includes("ready")) {
    await takeEach(page, { screen, state: "ready", troubles });
  }
  if (asked.size > 0) {
    await takeLoading(screen, asked);
    await takeFailed(screen, { state: "error", paths: asked });
  }
  // The first answer is what the screen is about, the last one adds to it.
  const last = [...asked].at(-1);
  if (asked.size > 1 && last !== undefined) {
    await takeFailed(screen, { state: "partial", paths: new Set([last]) });
  }
}

/** @param state - Undefined for all that any state is asked of. */
function screensFor(state: string | undefined, ...audiences: Screen["audience"][]): Screen[] {
  const isWanted = state === undefined || values.state.includes(state);
  return isWanted ? screens.filter(({ audience }) => audiences.includes(audience)) : [];
}

async function go(of: Page, path: string, tenant?: string): Promise<void> {
  const search = tenant === undefined ? "" : `${path.includes("?") ? "&" : "?"}tenant=${tenant}`;
  await applyLook(of, looksOf("ready")[0] as Look);
  await of.goto(consoleUrl + path + search);
}

async function open(of: Page, path: string, tenant?: string): Promise<void> {
  await go(of, path, tenant);
  await settlePage(of);
}

async function readAsked(path: string): Promise<Asked> {
  const note = noteAsked(page);
  await open(page, path, tenants.demo);
  return note.stop();
}

async function takeLoading(screen: Screen, asked: Asked): Promise<void> {
  if (values.state.includes("loading")) {
    await using _held = await breakAnswers(page, { paths: asked, how: "held" });
    await go(page, screen.path, tenants.demo);
    await settleLoadingPage(page);
    await takeEach(page, { screen, state: "loading", troubles });
  }
}

async function takeFailed(
  screen: Screen,
  { state, paths }: { state: "error" | "partial"; paths: Asked },
): Promise<void> {
  if (values.state.includes(state)) {
    await using _failed = await breakAnswers(page, { paths, how: "failed" });
    await open(page, screen.path, tenants.demo);
    const others = troubles.splice(0).filter((trouble) => !trouble.startsWith(FAILED_ANSWER));
    troubles.push(...others);
    await takeEach(page, { screen, state, troubles });
  }
}

/** Gathers what the page reports to the browser's console; whoever takes a picture empties the list. */
function noteTroubles(of: Page): string[] {
  const noted: string[] = [];
  of.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      noted.push(message.text());
    }
  });
  of.on("pageerror", (error) => noted.push(error.message));
  return noted;
}

async function takeEach(
  of: Page,
  { screen, state, troubles: noted }: { screen: Screen; state: string; troubles: string[] },
): Promise<void> {
  for (const look of looksOf(state)) {
    await applyLook(of, look);
    await drawPage(of);
    const file = `${screen.name}-${state}-${look.name}.png`;
    await of.screenshot({ path: join(folder, file), fullPage: true });
    const findings = [...(await findFaults(of, look)), ...noted.splice(0)];
    pictures.push({ screen: screen.name, state, look: look.name, file, findings });
    console.log([file, ...findings].join("\n  "));
  }
}

/** What the picture alone does not tell. */
async function findFaults(of: Page, look: Look): Promise<string[]> {
  const overflowPx = await measureOverflowPx(of);
  const moving = await of.evaluate<number>(
    "document.getAnimations().filter(({ playState }) => playState === 'running').length",
  );
  // Forced colours are the system's: their contrast is not the page's.
  const isColoured = look.hasForcedColours !== true;
  return [
    ...(overflowPx > 0 ? [`${String(overflowPx)} px too wide`] : []),
    ...(moving > 0 ? [`${String(moving)} parts move though less motion is wanted`] : []),
    ...(isColoured ? await findAxeViolations(of, { rules: rulesIn(look.theme) }) : []),
  ];
}
