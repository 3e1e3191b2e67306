import { readFile, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { z } from "zod";

const LIST = "pg-symlinks.json";
const links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Makes the links of PostgreSQL's libraries, which an npm package cannot hold: its install script would make them, and npm
 * runs such scripts only where someone has allowed them.
 *
 * @param folder - Of the programs, with the list of links in it; without a list, as of a distribution, nothing is missing.
 * @returns Whether all are there now; false where the folder cannot be written.
 */
export async function ensureLibraryLinks(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, LIST), "utf8").catch(() => "[]");
  let isComplete = true;
  for (const { source, target } of links.parse(JSON.parse(text))) {
    // Their paths begin with the name that the package has for the folder.
    const path = join(folder, relative("native", target));
    const file = join(folder, relative("native", source));
    await symlink(relative(dirname(path), file), path).catch((error: NodeJS.ErrnoException) => {
      isComplete &&= error.code === "EEXIST";
    });
  }
  return isComplete;
}
