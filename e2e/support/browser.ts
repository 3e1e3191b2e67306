import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

/** Where systems put Chromium, after what `CHROMIUM_PATH` names. */
const USUAL_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/opt/google/chrome/chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Root cannot enter Chromium's sandbox, and nothing here may talk to anybody else. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Of everything that a journey waits for: it only ends what hangs. */
const WAIT_MAX_MS = 120_000;

export type BrowserOptions = {
  theme?: "light" | "dark";
  widthPx?: number;
  heightPx?: number;
  /** Pages run no script: what a search engine or a careful person sees. */
  isScriptless?: boolean;
};

/** A browser with a fresh profile, removed when it is closed. */
export interface TestBrowser extends AsyncDisposable {
  context: BrowserContext;
}

/**
 * Finds the Chromium of this system.
 *
 * @throws {Error} Naming the variable that helps, when there is none: a journey that did not run has not passed.
 */
export async function findChromium(): Promise<string> {
  const named = process.env["CHROMIUM_PATH"];
  const candidates = named === undefined || named === "" ? USUAL_PATHS : [named];
  for (const path of candidates) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) {
      return path;
    }
  }
  throw new Error(
    `No Chromium at ${candidates.join(", ")}. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.`,
  );
}

/** Starts Chromium with a profile of its own. */
export async function startBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const executablePath = await findChromium();
  const profile = await mkdtemp(join(tmpdir(), "turnpike-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: FLAGS,
    chromiumSandbox: false,
    colorScheme: options.theme ?? "light",
    // Journeys look at states: what fades in or out has neither its contrast nor its place.
    reducedMotion: "reduce",
    viewport: { width: options.widthPx ?? 1440, height: options.heightPx ?? 900 },
    javaScriptEnabled: options.isScriptless !== true,
    timeout: WAIT_MAX_MS,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  // A busy machine is slow, not broken.
  context.setDefaultTimeout(WAIT_MAX_MS);
  return {
    context,
    [Symbol.asyncDispose]: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
