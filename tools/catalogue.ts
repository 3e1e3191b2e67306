/**
 * Takes a picture of every screen of the console in every state and look, from an instance of its own, and writes a page that
 * shows them all. Ends with 1 when a screen is wider than its window, moves though it should not, jumps while it loads, breaks
 * a rule of axe, or reports an error to the browser's console.
 *
 * `npm run catalogue -- [--screen NAME]... [--state NAME]... [--resume] [--at-once N] [folder]`
 */
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeProductHome } from "@turnpike/testkit/product";
import type { BrowserContext, Page } from "playwright-core";
import { startBrowser } from "../e2e/support/browser.ts";
import { type Asked, breakAnswers, noteAsked } from "./catalogue/answers.ts";
import { eachAtOnce } from "./catalogue/each-at-once.ts";
import { furnishTenant } from "./catalogue/furnish-tenant.ts";
import { noteShifts } from "./catalogue/layout-shift.ts";
import {
  claimInstallation,
  makeTenant,
  makeTenantsWithData,
  registerMember,
} from "./catalogue/make-states.ts";
import { renderIndex } from "./catalogue/render-index.ts";
import { SCREENS, type Screen } from "./catalogue/screens.ts";
import { settlePage } from "./catalogue/settle-page.ts";
import { noteLists, stretchAnswers } from "./catalogue/stretch-answers.ts";
import { takeLooks } from "./catalogue/take-looks.ts";
import { openTaken } from "./catalogue/taken.ts";

const STATES = ["empty", "ready", "loading", "partial", "error", "denied", "many", "longest"];
/** Screens that list keys, or what happened to them: a tenant has 10,000. The lists of others are stretched to so many rows. */
const SCREENS_OF_MANY_KEYS = ["overview", "api-keys", "analytics", "tenants-audit"];

const USAGE = `Usage: npm run catalogue -- [--screen NAME]... [--state NAME]... [--resume] [--at-once N] [folder]
Screens: ${SCREENS.map(({ name }) => name).join(", ")}
States: ${STATES.join(", ")}
--resume keeps what an earlier run left in the folder, and takes what is missing.
--at-once: how many screens to visit at once; default: the number of processors plus one.`;

const { values, atOnce, positionals } = readArguments();
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

await takeAll("ready", ["visitor"]);
{
  await using opened = await openPage(context);
  await claimInstallation(opened.page, server.output());
}
const empty = await makeTenant(home, { name: "Blue Heron Maps", slug: "blue-heron-maps" });
await takeAll("empty", ["member", "operator"], { tenant: empty });
const tenants = await makeTenantsWithData(home);
await furnishTenant(home, { consoleUrl, tenant: tenants.demo });
await takeAll("ready", ["member", "operator"], { tenant: tenants.demo });
if (["loading", "error", "partial"].some((state) => values.state.includes(state))) {
  const frame = (await readTraffic("/overview/nothing-here")).asked;
  await forEachScreen(undefined, ["member", "operator"], (screen) => takeBroken(screen, frame));
}
await takeAll("longest", ["member", "operator"], { tenant: tenants.longest });
await forEachScreen("many", ["member", "operator"], (screen) =>
  SCREENS_OF_MANY_KEYS.includes(screen.name)
    ? takeEach({ screen, state: "many", tenant: tenants.many })
    : takeStretched(screen),
);
if (values.state.includes("denied")) {
  await using other = await startBrowser();
  {
    await noteShifts(other.context);
    await using opened = await openPage(other.context);
    const { page } = opened;
    await registerMember(home, { page, consoleUrl, tenant: tenants.demo, role: "viewer" });
  }
  const as = { tenant: tenants.demo, as: other.context };
  await takeAll("denied", ["member", "operator"], as);
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
        // A screen that fails waits for seconds before it asks again.
        "at-once": { type: "string", default: String(availableParallelism() + 1) },
      },
      allowPositionals: true,
    });
    const known = [...SCREENS.map(({ name }) => name), ...STATES];
    const unknown = [...given.screen, ...given.state].filter((name) => !known.includes(name));
    if (unknown.length > 0 || rest.length > 1) {
      throw new Error(`Not known: ${[...unknown, ...rest.slice(1)].join(", ")}`);
    }
    if (!/^[1-9]\d?$/.test(given["at-once"])) {
      throw new Error("--at-once is a number from 1 to 99");
    }
    return { values: given, atOnce: Number(given["at-once"]), positionals: rest };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  }
}

/** @param state - Undefined for all that any state is asked of. */
async function forEachScreen(
  state: string | undefined,
  audiences: readonly Screen["audience"][],
  work: (screen: Screen) => Promise<void>,
): Promise<void> {
  if (state === undefined || values.state.includes(state)) {
    const items = screens.filter(({ audience }) => audiences.includes(audience));
    await eachAtOnce(items, { atOnce, work });
  }
}

async function takeAll(
  state: string,
  audiences: readonly Screen["audience"][],
  visit: Pick<Visit, "tenant" | "as"> = {},
): Promise<void> {
  await forEachScreen(state, audiences, (screen) => takeEach({ screen, state, ...visit }));
}

function toUrl(path: string, tenant?: string): string {
  const search = tenant === undefined ? "" : `${path.includes("?") ? "&" : "?"}tenant=${tenant}`;
  return consoleUrl + path + search;
}

/** A page for one visit: a browser that keeps one for hundreds needs ever more memory. */
async function openPage(of: BrowserContext): Promise<{ page: Page } & AsyncDisposable> {
  const page = await of.newPage();
  return {
    page,
    [Symbol.asyncDispose]: async () => {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.close();
    },
  };
}

/** What a screen asks of the API, and which of the answers are lists with rows. */
type Traffic = { asked: Asked; lists: Asked };

async function readTraffic(path: string): Promise<Traffic> {
  await using opened = await openPage(context);
  const note = noteAsked(opened.page);
  const listNote = noteLists(opened.page);
  await opened.page.goto(toUrl(path, tenants.demo));
  await settlePage(opened.page);
  return { asked: note.stop(), lists: await listNote.stop() };
}

/** @returns Undefined when the screen does not come to rest, which is noted. */
async function tryTraffic({ name, path }: Screen): Promise<Traffic | undefined> {
  try {
    return await readTraffic(path);
  } catch (error) {
    noteRestless(`${name}, while its answers were listed`, error);
    return undefined;
  }
}

/** A screen whose answers do not come, or not as they should. */
async function takeBroken(screen: Screen, frame: Asked): Promise<void> {
  const states = ["loading", "error", "partial"].filter((state) => values.state.includes(state));
  if (states.every((state) => taken.has(screen.name, state))) {
    return;
  }
  const traffic = await tryTraffic(screen);
  const asked = [...(traffic?.asked ?? [])].filter((path) => !frame.has(path));
  for (const state of states) {
    // The first answer is what the screen is about, the last one adds to it.
    const broken = state === "partial" ? asked.slice(1).slice(-1) : asked;
    if (broken.length > 0) {
      const how = state === "loading" ? "held" : "failed";
      const prepare = (page: Page) => breakAnswers(page, { paths: new Set(broken), how });
      await takeEach({ screen, state, tenant: tenants.demo, prepare });
    }
  }
}

/** A screen whose lists have 10,000 rows; none without lists. */
async function takeStretched(screen: Screen): Promise<void> {
  if (taken.has(screen.name, "many")) {
    return;
  }
  const traffic = await tryTraffic(screen);
  if (traffic !== undefined && traffic.lists.size > 0) {
    const prepare = (page: Page) => stretchAnswers(page, traffic.lists);
    await takeEach({ screen, state: "many", tenant: tenants.demo, prepare });
  }
}

type Visit = {
  screen: Screen;
  state: string;
  tenant?: string;
  /** Whose browser looks; left out for the operator's. */
  as?: BrowserContext;
  /** What is done to the page before it is opened. */
  prepare?: (page: Page) => Promise<void>;
};

/** One screen that does not come to rest keeps no other from being looked at. */
async function takeEach({ screen, state, tenant, as = context, prepare }: Visit): Promise<void> {
  const { name, path } = screen;
  if (taken.has(name, state)) {
    return;
  }
  await using opened = await openPage(as);
  try {
    await prepare?.(opened.page);
    const url = toUrl(path, tenant);
    await taken.add(await takeLooks(opened.page, { screen, state, url, folder }));
  } catch (error) {
    noteRestless(`${name}, ${state}`, error);
  }
}

/** @param visit - Which screen, and in which state. */
function noteRestless(visit: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  restless.push(`${visit}: ${reason}`);
  console.log(`${visit}, did not come to rest: ${reason}`);
}
