import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashFiles, listFiles } from "./hash-files.mjs";
import { withLock } from "./lock.mjs";
import { NODE_24, ROOT, STATE_FOLDER } from "./paths.mjs";
import { captureProgram } from "./program.mjs";

const QUIET_MS = 2_000;

/**
 * @typedef {object} Artifact What is built from sources of the checkout.
 * @property {string} name What people call it, and its stamp.
 * @property {string} folder Where it is built, relative to the checkout.
 * @property {string[]} sources Every folder whose files end up in it, relative to the checkout.
 * @property {string[]} built Files that are there once it is built, relative to its folder.
 * @property {string[]} program What builds it on Node 24; the script is relative to the checkout.
 */

/**
 * Builds an artifact when it is missing or its sources have changed.
 *
 * @param {Artifact} artifact
 * @throws {Error} With what the program said when it does not build.
 */
export async function ensureArtifact(artifact) {
  const hash = await hashSources(artifact);
  if (await isBuilt(artifact, hash)) {
    return;
  }
  await withLock(artifact.name, async () => {
    if (!(await isBuilt(artifact, hash))) {
      await build(artifact);
    }
  });
}

/**
 * Builds an artifact in any case.
 *
 * @param {Artifact} artifact
 */
export async function buildArtifact(artifact) {
  await withLock(artifact.name, () => build(artifact));
}

const stampOf = ({ name }) => join(STATE_FOLDER, name);

async function hashSources({ sources }) {
  const files = await Promise.all(sources.map(listFiles));
  return await hashFiles([...files.flat(), join(ROOT, "package-lock.json")]);
}

async function isBuilt(artifact, hash) {
  const stamp = await readFile(stampOf(artifact), "utf8").catch(() => "");
  const isThere = artifact.built.every((file) => existsSync(join(ROOT, artifact.folder, file)));
  return stamp === hash && isThere;
}

async function build(artifact) {
  const { name, folder } = artifact;
  const [script, ...args] = artifact.program;
  const notice = setTimeout(() => console.error(`turnpike: building the ${name} …`), QUIET_MS);
  try {
    // A build that is cut short must not count.
    await rm(stampOf(artifact), { force: true });
    const { code, output } = await captureProgram(NODE_24, [join(ROOT, script), ...args], {
      cwd: join(ROOT, folder),
      env: { ...process.env, NODE_ENV: "production" },
    });
    if (code !== 0) {
      throw new Error(`the ${name} does not build.\n${output}`);
    }
  } finally {
    clearTimeout(notice);
  }
  await mkdir(STATE_FOLDER, { recursive: true });
  // Programs may write generated sources; the stamp is of what the next start will see.
  await writeFile(stampOf(artifact), await hashSources(artifact));
}
