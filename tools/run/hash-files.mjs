import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { ROOT } from "./paths.mjs";

const IGNORED_FOLDERS = new Set(["node_modules", "dist", "dist-server"]);

/**
 * Lists the files below a folder of the checkout, sorted; empty when there is no such folder.
 *
 * @param {string} folder Relative to the checkout.
 * @returns {Promise<string[]>} Absolute paths.
 */
export async function listFiles(folder) {
  const path = join(ROOT, folder);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const nested = entries.map(async (entry) => {
    if (entry.isDirectory()) {
      return IGNORED_FOLDERS.has(entry.name) ? [] : await listFiles(join(folder, entry.name));
    }
    return entry.isFile() ? [join(path, entry.name)] : [];
  });
  return (await Promise.all(nested)).flat().sort();
}

/**
 * One hash over names and contents, so that a checkout of another branch and back builds nothing anew.
 *
 * @param {string[]} files Absolute paths.
 */
export async function hashFiles(files) {
  const hash = createHash("sha256");
  const contents = await Promise.all(files.map((file) => readFile(file)));
  for (const [index, file] of files.entries()) {
    hash.update(`${relative(ROOT, file)}\0${contents[index].length}\0`).update(contents[index]);
  }
  return hash.digest("hex");
}
