import { access, constants, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { NODE_24, ROOT } from "./run/paths.mjs";
import { captureProgram } from "./run/program.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Finds a Chromium for the journeys, or gets one: from Debian as root, else the one that Playwright brings.
 *
 * @returns {Promise<string>} Absolute path of the program.
 * @throws {Error} With the way out, when there is none to be had.
 */
export async function ensureChromium() {
  const found = process.env.CHROMIUM_PATH ?? (await findOnPath());
  if (found !== undefined) {
    return found;
  }
  return (await isRootOnDebian()) ? await installFromDebian() : await installFromPlaywright();
}

async function findOnPath() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  for (const path of NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isExecutable(path)) {
      return path;
    }
  }
  return undefined;
}

async function isExecutable(path) {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isRootOnDebian() {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  // Ubuntu's package of that name only fetches a snap, which needs a service that containers lack.
  return process.getuid?.() === 0 && /^ID="?debian"?$/m.test(release);
}

async function installFromDebian() {
  console.error("turnpike: installing Chromium for the journeys with apt-get …");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const steps = [["update"], ["install", "-y", "--no-install-recommends", "chromium"]];
  for (const args of steps) {
    const { code, output } = await captureProgram("apt-get", args, { env });
    if (code !== 0) {
      throw missing(`apt-get ${args[0]} failed`, output);
    }
  }
  const found = await findOnPath();
  if (found === undefined) {
    throw missing("apt-get brought no chromium", "");
  }
  return found;
}

async function installFromPlaywright() {
  console.error("turnpike: fetching Playwright's Chromium for the journeys …");
  const { code, output } = await captureProgram(NODE_24, [
    join(ROOT, "node_modules/playwright-core/cli.js"),
    "install",
    "chromium",
  ]);
  if (code !== 0) {
    throw missing("playwright-core install chromium failed", output);
  }
  const { chromium } = await import("playwright-core");
  return chromium.executablePath();
}

function missing(what, output) {
  const detail = output.trim().split("\n").slice(-5).join("\n");
  return new Error(
    `there is no Chromium for the journeys (${what}). Install one, or set CHROMIUM_PATH to it.\n${detail}`,
  );
}
