import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The checkout this file is in. */
export const REPOSITORY_ROOT = resolve(import.meta.dirname, "..");

const CONFIGURATION = [
  ".dependency-cruiser.cjs",
  ".gitignore",
  "apps/console/package.json",
  "apps/server/package.json",
  "biome.json",
  "package.json",
  "packages/contract/package.json",
  "packages/db/package.json",
  "packages/domain/package.json",
  "packages/testkit/package.json",
  "packages/ui/package.json",
  "tools/lint",
  "tsconfig.base.json",
  "tsconfig.json",
];

const PACKAGES = ["contract", "db", "domain", "testkit", "ui"];

/** A temporary checkout: this repository's configuration around other source. */
export type PlantedTree = { root: string; remove: () => Promise<void> };

/**
 * Writes `files` (path to text) into a temporary folder that has this repository's configuration and dependencies, so
 * that a check can be shown a mistake without anyone's working tree being touched.
 */
export async function plantTree(files: Readonly<Record<string, string>>): Promise<PlantedTree> {
  const root = await mkdtemp(join(tmpdir(), "turnpike-planted-"));
  for (const path of CONFIGURATION) {
    await cp(join(REPOSITORY_ROOT, path), join(root, path), { recursive: true });
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await linkDependencies(root);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Third-party packages lead to the real ones; ours lead into the planted tree. */
async function linkDependencies(root: string): Promise<void> {
  const target = join(root, "node_modules");
  await mkdir(join(target, "@turnpike"), { recursive: true });
  for (const name of await readdir(join(REPOSITORY_ROOT, "node_modules"))) {
    if (name !== "@turnpike" && !name.startsWith(".")) {
      await symlink(join(REPOSITORY_ROOT, "node_modules", name), join(target, name));
    }
  }
  for (const name of PACKAGES) {
    await symlink(join(root, "packages", name), join(target, "@turnpike", name));
  }
}
