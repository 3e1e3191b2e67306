import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "./lock.mjs";
import { NODE_24, ROOT, STATE_FOLDER } from "./paths.mjs";
import { captureProgram } from "./program.mjs";

const STAMP = join(STATE_FOLDER, "installed");
const QUIET_MS = 2_000;

/** What decides about the contents of node_modules; other fields may change without an installation. */
const INSTALLED_FIELDS = [
  "name",
  "version",
  "workspaces",
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "overrides",
  "allowScripts",
];

/**
 * Left over from the outer npm, these would make the installation partial, or one of another folder.
 * `npm start -w console` sets the first, for example.
 */
const OUTER_SETTINGS =
  /^npm_config_(workspaces?|include_workspace_root|global|location|prefix|local_prefix|dry_run|package_lock_only|omit|only|production|json|loglevel)$/i;

/**
 * Installs the packages when they are missing or older than the manifests. Says nothing when there is nothing to do, and
 * nothing on standard output ever, which belongs to the command.
 */
export async function ensureInstalled() {
  if (await isInstalled()) {
    return;
  }
  await withLock("install", async () => {
    // Another command may have done it while this one waited.
    if (!(await isInstalled())) {
      await install();
    }
  });
}

async function isInstalled() {
  const stamp = await readFile(STAMP, "utf8").catch(() => "");
  return stamp === (await hashManifests()) && existsSync(NODE_24);
}

async function install() {
  const hash = await hashManifests();
  const notice = setTimeout(() => {
    console.error("turnpike: installing packages; this takes about a minute the first time …");
  }, QUIET_MS);
  try {
    // Not `npm ci`: it removes what is there, and fails on a lock that was written on another system and therefore lacks
    // this one's optional binaries. `install` takes the versions of the lock as well and adds what is missing.
    const { code, output } = await runNpm([
      "install",
      "--no-save",
      "--no-progress",
      "--no-audit",
      "--no-fund",
      "--include=dev",
      "--include=optional",
      "--loglevel=error",
    ]);
    if (code !== 0) {
      throw new Error(`npm install failed (exit code ${code}).\n${output}`);
    }
  } finally {
    clearTimeout(notice);
  }
  if (!existsSync(NODE_24)) {
    throw new Error(
      `${NODE_24} is missing, because npm did not run the install scripts that package.json allows. Run \`npm install --ignore-scripts=false\`.`,
    );
  }
  await mkdir(STATE_FOLDER, { recursive: true });
  await writeFile(STAMP, hash);
}

async function runNpm(args) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !OUTER_SETTINGS.test(name) && name !== "NODE_ENV",
    ),
  );
  const npm = process.env.npm_execpath;
  // The npm that runs this command, rather than another one on the path.
  return npm?.endsWith(".js")
    ? await captureProgram(process.execPath, [npm, ...args], { env })
    : await captureProgram("npm", args, { env });
}

async function hashManifests() {
  const manifests = [ROOT, ...(await listWorkspaces())].map((folder) =>
    join(folder, "package.json"),
  );
  const hash = createHash("sha256").update(`${process.platform}-${process.arch}\n`);
  for (const path of manifests) {
    const manifest = JSON.parse(await readFile(path, "utf8"));
    hash.update(JSON.stringify(INSTALLED_FIELDS.map((field) => manifest[field] ?? null)));
  }
  hash.update(await readFile(join(ROOT, "package-lock.json")).catch(() => ""));
  return hash.digest("hex");
}

/** The folders that the patterns of `workspaces` name: `e2e`, or `apps/*` for those with a manifest. */
async function listWorkspaces() {
  const { workspaces } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const found = workspaces.map(async (pattern) => {
    if (!pattern.endsWith("/*")) {
      return [join(ROOT, pattern)];
    }
    const parent = join(ROOT, pattern.slice(0, -2));
    const names = await readdir(parent).catch(() => []);
    return names.sort().map((name) => join(parent, name));
  });
  const folders = (await Promise.all(found)).flat();
  return folders.filter((folder) => existsSync(join(folder, "package.json")));
}
