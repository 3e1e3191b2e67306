import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashFiles, listFiles } from "./hash-files.mjs";
import { withLock } from "./lock.mjs";
import { NODE_24, ROOT, STATE_FOLDER } from "./paths.mjs";
import { captureProgram } from "./program.mjs";

/** Every folder whose files end up in the bundle. */
const SOURCES = ["apps/console", "packages/ui", "packages/contract/src", "packages/domain/src"];
const STAMP = join(STATE_FOLDER, "console");
const CONSOLE = join(ROOT, "apps/console");
/** What browsers load, and what the server renders public pages with. */
const BUILT = ["dist/index.html", "dist-server/entry-server.js"];
const QUIET_MS = 2_000;

/** Builds the console when it is missing or its sources have changed. */
export async function ensureConsole() {
  const hash = await hashSources();
  if (await isBuilt(hash)) {
    return;
  }
  await withLock("console", async () => {
    if (!(await isBuilt(hash))) {
      await build();
    }
  });
}

/** Builds the console in any case. */
export async function buildConsole() {
  await withLock("console", build);
}

async function hashSources() {
  const files = await Promise.all(SOURCES.map(listFiles));
  return await hashFiles([...files.flat(), join(ROOT, "package-lock.json")]);
}

async function isBuilt(hash) {
  const stamp = await readFile(STAMP, "utf8").catch(() => "");
  const isThere = BUILT.every((file) => existsSync(join(CONSOLE, file)));
  return stamp === hash && isThere;
}

async function build() {
  const notice = setTimeout(() => console.error("turnpike: building the console …"), QUIET_MS);
  try {
    // A build that is cut short must not count.
    await rm(STAMP, { force: true });
    const { code, output } = await captureProgram(
      NODE_24,
      [join(ROOT, "node_modules/vite/bin/vite.js"), "build"],
      { cwd: CONSOLE, env: { ...process.env, NODE_ENV: "production" } },
    );
    if (code !== 0) {
      throw new Error(`the console does not build.\n${output}`);
    }
  } finally {
    clearTimeout(notice);
  }
  await mkdir(STATE_FOLDER, { recursive: true });
  // Plugins may write generated sources; the stamp is of what the next start will see.
  await writeFile(STAMP, await hashSources());
}
