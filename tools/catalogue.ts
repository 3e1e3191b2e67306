/**
 * Takes a picture of every screen of the console in every state and look, from an instance of its own, and writes a page that
 * shows them all. Ends with 1 when a screen is wider than its window, moves though it should not, jumps while it loads, breaks
 * a rule of axe, or reports an error to the browser's console.
 *
 * `npm run catalogue -- [--screen NAME]... [--state NAME]... [--resume] [folder]`
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeProductHome } from "@turnpike/testkit/product";
import type { BrowserContext, Page } from "playwright-core";
import { startBrowser } from "../e2e/support/browser.ts";
import { findAxeViolations, rulesIn } from "../e2e/support/find-axe-violations.ts";
import { measureOverflowPx } from "../e2e/support/measure-overflow.ts";
import { type Asked, breakAnswers, noteAsked } from "./catalogue/answers.ts";
import { furnishTenant } from "./catalogue/furnish-tenant.ts";
import { findShift, noteShifts } from "./catalogue/layout-shift.ts";
import { applyLook, type Look, looksOf } from "./catalogue/looks.ts";
import {
  claimInstallation,
  makeTenant,
  makeTenantsWithData,
  registerMember,
} from "./catalogue/make-states.ts";
import { type Picture, renderIndex } from "./catalogue/render-index.ts";
import { SCREENS, type Screen } from "./catalogue/screens.ts";
import { drawPage, settleLoadingPage, settlePage } from "./catalogue/settle-page.ts";
import { noteLists, stretchAnswers } from "./catalogue/stretch-answers.ts";
import { openTaken } from "./catalogue/taken.ts";

const STATES = ["empty", "ready", "loading", "partial", "error", "denied", "many", "longest"];
/** Screens that list keys, or what happened to them: a tenant has 10,000. The lists of others are stretched to so many rows. */
const SCREENS_OF_MANY_KEYS = ["overview", "api-keys", "analytics", "tenants-audit"];
/** What the browser itself writes about an answer that is no success: expected where the catalogue makes it fail. */
const FAILED_ANSWER = "Failed to load resource";

const BROKEN = ["partial", "error"];

const USAGE = `Usage: npm run catalogue -- [--screen NAME]... [--state NAME]... [--resume] [folder]
Screens: ${SCREENS.map(({ name }) => name).join(", ")}
States: ${STATES.join(", ")}
--resume keeps what an earlier run left in the folder, and takes what is missing.`;

const { values, positionals } = readArguments();
const folder = positionals[0] ?? "test-results/catalogue";
const screens = SCREENS.filter(({ name }) => values.screen.includes(name));
/** Screens that did not come to rest, which have no picture. */
const restless: string[] = [];

const startedMs = performance.now();
await mkdir(folder, { recursive: true });
const taken = await openTaken(folder, { isResumed: values.resume });
/** Names of the outside may lead nowhere here: the webhook's receiver is this machine. */
const config = join(folder, "turnpike.yaml");
await writeFile(config, "webhooks:\n  allowPrivate: [127.0.0.1]\n");
await using home = await makeProductHome({ TURNPIKE_CONFIG: resolve(config) });
const server = await home.startServer();
const consoleUrl = `http://localhost:${String(server.port)}`;
await using browser = await startBrowser();
const { context } = browser;
await noteShifts(context);

for (const screen of screensFor("ready", "visitor")) {
  await takeEach({ context, screen, state: "ready" });
}
{
  await using opened = await openPage(context);
  await claimInstallation(opened.page, server.output());
}
const empty = await makeTenant(home, { name: "Blue Heron Maps", slug: "blue-heron-maps" });
for (const screen of screensFor("empty", "member", "operator")) {
  await takeEach({ context, screen, state: "empty", tenant: empty });
}
const tenants = await makeTenantsWithData(home);
await furnishTenant(home, { consoleUrl, tenant: tenants.demo });
for (const screen of screensFor("ready", "member", "operator")) {
  await takeEach({ context, screen, state: "ready", tenant: tenants.demo });
}
if (["loading", "error", "partial"].some((state) => values.state.includes(state))) {
  const frame = await readAsked("/overview/nothing-here");
  for (const screen of screensFor(undefined, "member", "operator")) {
    await takeBroken(screen, frame);
  }
}
for (const screen of screensFor("longest", "member", "operator")) {
  await takeEach({ context, screen, state: "longest", tenant: tenants.longest });
}
for (const screen of screensFor("many", "member", "operator")) {
  if (SCREENS_OF_MANY_KEYS.includes(screen.name)) {
    await takeEach({ context, screen, state: "many", tenant: tenants.many });
  } else {
    await takeStretched(screen);
  }
}
if (values.state.includes("denied")) {
  await using other = await startBrowser();
  {
    await noteShifts(other.context);
    await using opened = await openPage(other.context);
    const { page } = opened;
    await registerMember(home, { page, consoleUrl, tenant: tenants.demo, role: "viewer" });
  }
  for (const screen of screensFor("denied", "member", "operator")) {
    await takeEach({ context: other.context, screen, state: "denied", tenant: tenants.demo });
  }
}

const index = join(folder, "index.html");
await writeFile(index, renderIndex(taken.pictures));
const faulty = taken.pictures.filter(({ findings }) => findings.length > 0);
const minutes = Math.ceil((performance.now() - startedMs) / 60_000);
console.log(
  `${index}: ${String(taken.pictures.length)} pictures, ${String(faulty.length)} with findings, ${String(minutes)} min`,
);
console.log([`${String(restless.length)} did not come to rest`, ...restless].join("\n  "));
process.exitCode = faulty.length + restless.length > 0 ? 1 : 0;

/** Ends the program when they name no screen or state. */
function readArguments() {
  try {
    const { values: given, positionals: rest } = parseArgs({
      options: {
        screen: { type: "string", multiple: true, default: SCREENS.map(({ name }) => name) },
        state: { type: "string", multiple: true, default: STATES },
        resume: { type: "boolean", default: false },
      },
      allowPositionals: true,
    });
    const known = [...SCREENS.map(({ name }) => name), ...STATES];
    const unknown = [...given.screen, ...given.state].filter((name) => !known.includes(name));
    if (unknown.length > 0 || rest.length > 1) {
      throw new Error(`Not known: ${[...unknown, ...rest.slice(1)].join(", ")}`);
    }
    return { values: given, positionals: rest };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  }
}

/** @param state - Undefined for all that any state is asked of. */
function screensFor(state: string | undefined, ...audiences: Screen["audience"][]): Screen[] {
  const isWanted = state === undefined || values.state.includes(state);
  return isWanted ? screens.filter(({ audience }) => audiences.includes(audience)) : [];
}

function toUrl(path: string, tenant?: string): string {
  const search = tenant === undefined ? "" : `${path.includes("?") ? "&" : "?"}tenant=${tenant}`;
  return consoleUrl + path + search;
}

/** A page for one visit: a browser that keeps one for hundreds needs ever more memory. */
async function openPage(of: BrowserContext): Promise<{ page: Page } & AsyncDisposable> {
  const page = await of.newPage();
  return { page, [Symbol.asyncDispose]: () => page.close() };
}

async function readAsked(path: string): Promise<Asked> {
  await using opened = await openPage(context);
  const note = noteAsked(opened.page);
  await opened.page.goto(toUrl(path, tenants.demo));
  await settlePage(opened.page);
  return note.stop();
}

async function readLists(path: string): Promise<Asked> {
  await using opened = await openPage(context);
  const note = noteLists(opened.page);
  await opened.page.goto(toUrl(path, tenants.demo));
  await settlePage(opened.page);
  return await note.stop();
}

/** A screen whose answers do not come, or not as they should. */
async function takeBroken(screen: Screen, frame: Asked): Promise<void> {
  const states = ["loading", "error", "partial"].filter((state) => values.state.includes(state));
  if (states.every((state) => taken.has(screen.name, state))) {
    return;
  }
  const asked = [...(await readAsked(screen.path))].filter((path) => !frame.has(path));
  for (const state of states) {
    // The first answer is what the screen is about, the last one adds to it.
    const broken = state === "partial" ? asked.slice(1).slice(-1) : asked;
    if (broken.length > 0) {
      const how = state === "loading" ? "held" : "failed";
      await using _broken = await breakAnswers(context, { paths: new Set(broken), how });
      await takeEach({ context, screen, state, tenant: tenants.demo });
    }
  }
}

/** A screen whose lists have 10,000 rows; none without lists. */
async function takeStretched(screen: Screen): Promise<void> {
  const lists = taken.has(screen.name, "many") ? new Set<string>() : await readLists(screen.path);
  if (lists.size > 0) {
    await using _stretched = await stretchAnswers(context, lists);
    await takeEach({ context, screen, state: "many", tenant: tenants.demo });
  }
}

/** Gathers what the page reports to the browser's console. Taking a picture empties the list. */
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

type Visit = { context: BrowserContext; screen: Screen; state: string; tenant?: string };

/** One screen that does not come to rest keeps no other from being looked at. */
async function takeEach(visit: Visit): Promise<void> {
  const { name } = visit.screen;
  if (taken.has(name, visit.state)) {
    return;
  }
  await using opened = await openPage(visit.context);
  try {
    await taken.add(await takeLooks(opened.page, visit));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    restless.push(`${name}, ${visit.state}: ${reason}`);
    console.log(`${name}, ${visit.state}, did not come to rest`);
  }
}

async function takeLooks(of: Page, { screen, state, tenant }: Visit): Promise<Picture[]> {
  const noted = noteTroubles(of);
  const pictures: Picture[] = [];
  let widthBefore = 0;
  for (const look of looksOf(state)) {
    const findings: string[] = [];
    await applyLook(of, look);
    // Anew for each width, as people open it: what is scrolled or folded by width is so from the start.
    if (look.width !== widthBefore) {
      await of.goto(toUrl(screen.path, tenant));
      await (state === "loading" ? settleLoadingPage(of) : settlePage(of));
      if (screen.press !== undefined) {
        await of.getByRole("button", { name: screen.press }).first().click();
        await settlePage(of);
      }
      findings.push(...(await findShift(of)));
      widthBefore = look.width;
    }
    await drawPage(of);
    const file = `${screen.name}-${state}-${look.name}.png`;
    // A dialog fills the window, however long the page behind it is.
    const hasDialog = (await of.getByRole("dialog").count()) > 0;
    await of.screenshot({ path: join(folder, file), fullPage: !hasDialog });
    const reported = noted
      .splice(0)
      .filter((text) => !(BROKEN.includes(state) && text.startsWith(FAILED_ANSWER)));
    findings.push(...(await findFaults(of, look)), ...reported);
    pictures.push({ screen: screen.name, state, look: look.name, file, findings });
    console.log([file, ...findings].join("\n  "));
  }
  return pictures;
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
