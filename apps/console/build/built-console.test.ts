import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { CONTRACT_ROUTES_PATH, renderContractRoutes } from "./contract-routes.ts";

/** What the product serves, and what `npm test` has built already. */
const BUILT = fileURLToPath(new URL("../dist", import.meta.url));
const ENSURE_BUILT = `import { ensureConsole } from ${JSON.stringify(new URL("../../../tools/run/console.mjs", import.meta.url).href)};
  await ensureConsole();`;
/** What a visitor loads to read the landing page or a text; 125 kB is the bar. Today: 90 kB, of which React is 68. */
const READING_SCRIPTS_GZIP_BYTES_MAX = 100_000;
/** What a form to sign in and every screen begin with. Today: 154 kB, of which React is 68 and the router 40. */
const FIRST_SCRIPTS_GZIP_BYTES_MAX = 158_000;
/**
 * What a screen begins with, its frame of 21 kB included. Today: 209 kB (quickstart) to 252 kB (plans); 200 kB is the bar. What floats
 * (menus, popovers, tooltips, dialogs), 65 kB, comes once a person acts.
 */
const SCREEN_SCRIPTS_GZIP_BYTES_MAX = 258_000;
const SCREENS = ["overview", "quickstart", "api-keys", "analytics", "plans", "billings"];
/**
 * All screens together, including charts, the engine of prices, questions and their answers. Today: 730 kB, of which Firebase's
 * client is 34, loaded only where it is configured, and QR codes, passkeys and the screens of second factors are loaded when used.
 */
const SCRIPTS_GZIP_BYTES_MAX = 745_000;
/** The strings of a language other than English, which no one else loads. Today: 81 kB of 4,180 strings. */
const LANGUAGE_GZIP_BYTES_MAX = 90_000;
/** What the server says in such a language, loaded with the first request. Today: 47 kB of 1,400 sentences. */
const SERVER_WORDS_GZIP_BYTES_MAX = 55_000;
const STYLE_GZIP_BYTES_MAX = 20_000;
/** Names that zod leaves in any build: its error class, an issue code and its own marker of a schema. */
const ZOD_MARKS = ["ZodError", "invalid_union", "_zod"];

let page: string;
let assets: string[];

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", ENSURE_BUILT]);
  page = await readFile(join(BUILT, "index.html"), "utf8");
  assets = await readdir(join(BUILT, "assets"));
});

async function readAssets(which: RegExp): Promise<string> {
  const names = assets.filter((name) => which.test(name));
  expect(names).not.toEqual([]);
  const texts = await Promise.all(
    names.map((name) => readFile(join(BUILT, "assets", name), "utf8")),
  );
  return texts.join("\n");
}

/** What a page asks for by itself, each script compressed by itself. */
async function weighScripts(html: string): Promise<number> {
  const names = [...html.matchAll(/\/assets\/([\w.-]+\.js)/g)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(1);
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(join(BUILT, "assets", name))).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What a script asks for before it runs; what it loads later is in a call. */
const IMPORTED = /(?:from|import)"\.\/([\w.-]+\.js)"/g;

/** Adds a script and all that it needs to run: compressed bytes by name. */
async function collectScripts(name: string, found: Map<string, number>): Promise<void> {
  if (found.has(name)) {
    return;
  }
  const script = await readFile(join(BUILT, "assets", name), "utf8");
  found.set(name, gzipSync(script).length);
  for (const [, imported = ""] of script.matchAll(IMPORTED)) {
    await collectScripts(imported, found);
  }
}

function findScript(name: string): string {
  const scripts = assets.filter((each) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(each));
  expect(scripts, name).toHaveLength(1);
  return scripts[0] ?? "";
}

/** What screens load at once, the frame and what comes before it included: bytes by screen. */
async function weighScreens(): Promise<Map<string, number>> {
  const sizes = SCREENS.map(async (screen) => {
    const scripts = new Map<string, number>();
    for (const name of ["application", "frame", screen]) {
      await collectScripts(findScript(name), scripts);
    }
    return [screen, [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0)] as const;
  });
  return new Map(await Promise.all(sizes));
}

describe("the built console", () => {
  it("contains no validation library", async () => {
    const script = await readAssets(/\.js$/);
    expect(ZOD_MARKS.filter((mark) => script.includes(mark))).toEqual([]);
    const zod = createRequire(import.meta.resolve("@turnpike/contract/contract"));
    const zodErrors = await readFile(
      join(dirname(zod.resolve("zod/v4/core")), "errors.js"),
      "utf8",
    );
    expect(zodErrors, "the mark is one of this version of zod").toContain(ZOD_MARKS[0]);
  });

  it("loads at most 125 kB of scripts on a page to be read", async () => {
    const readingPage = await readFile(join(BUILT, "reading.html"), "utf8");
    expect(await weighScripts(readingPage)).toBeLessThan(READING_SCRIPTS_GZIP_BYTES_MAX);
  });

  it("stays within its size budget", async () => {
    expect(await weighScripts(page)).toBeLessThan(FIRST_SCRIPTS_GZIP_BYTES_MAX);
    const screens = [...(await weighScreens())];
    expect(screens.filter(([, bytes]) => bytes > SCREEN_SCRIPTS_GZIP_BYTES_MAX)).toEqual([]);
    expect(gzipSync(await readAssets(/^language-.*\.js$/)).length).toBeLessThan(
      LANGUAGE_GZIP_BYTES_MAX,
    );
    expect(gzipSync(await readAssets(/^server-words-.*\.js$/)).length).toBeLessThan(
      SERVER_WORDS_GZIP_BYTES_MAX,
    );
    expect(gzipSync(await readAssets(/^(?!language-|server-words-).*\.js$/)).length).toBeLessThan(
      SCRIPTS_GZIP_BYTES_MAX,
    );
    expect(gzipSync(await readAssets(/\.css$/)).length).toBeLessThan(STYLE_GZIP_BYTES_MAX);
  });

  it("runs under a policy without inline scripts, inline styles and data: fonts", async () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
    expect(await readAssets(/\.css$/)).not.toContain("data:font");
  });

  it("serves the toasts' rules as a style sheet and adds none at run time", async () => {
    expect(await readAssets(/\.css$/)).toContain("[data-sonner-toaster]");
    expect(await readAssets(/\.js$/)).not.toContain("[data-sonner-toaster]{");
  });

  it("has a separate script for each screen", () => {
    const screens = ["overview", "plans", "billings", "tenants", "quickstart", "api-keys"];
    const missing = screens.filter(
      (screen) => !assets.some((name) => new RegExp(`^${screen}-[\\w-]{8}\\.js$`).test(name)),
    );
    expect(missing).toEqual([]);
  });

  it("sets the theme before the page paints, with a script that waits for nothing", () => {
    const theme = page.indexOf("/assets/before-start-");
    expect(theme).toBeGreaterThan(0);
    expect(theme).toBeLessThan(page.indexOf('type="module"'));
    expect(page).toMatch(/<script src="\/assets\/before-start-[\w-]{8}\.js"><\/script>/);
  });

  it("requests nothing from other hosts", async () => {
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(await readAssets(/\.css$/)).not.toMatch(/url\(["']?(https?:)?\/\//);
  });

  it("names every asset by its content, so that it can be cached forever", () => {
    expect(assets.filter((name) => !/-[\w-]{8}\.(js|css|woff2|svg|webp)$/.test(name))).toEqual([]);
  });

  it("never contains the brand, which comes from the deployment", async () => {
    expect(page).not.toContain("Turnpike");
    expect(await readAssets(/\.js$/)).not.toContain("Turnpike");
  });
});

describe("contract.gen.json", () => {
  it("holds the method and path of every operation of the contract, and no schema", async () => {
    const routes = await readFile(CONTRACT_ROUTES_PATH, "utf8");
    expect(routes).toBe(renderContractRoutes());
    expect(routes).toContain('"path": "/setup/claim"');
    expect(routes).not.toContain("Schema");
  });
});
