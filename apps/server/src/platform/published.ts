import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { quoteWord } from "./quote-word.ts";

/** Whether this is the published npm package: its modules are compiled, and the folder that they lie in belongs to npm. */
export const IS_PUBLISHED = import.meta.filename.endsWith(".js");

/** Where npx keeps what it was asked for: a folder for each package. */
const CACHE_OF_NPX = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]node_modules[\\/]turnpike[\\/]/;

/** What npx notes in its folder of a package that it was given as a file. */
const fromFile = z.object({ dependencies: z.object({ turnpike: z.string().startsWith("file:") }) });

function isFromFile(folder: string): boolean {
  try {
    const noted: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return fromFile.safeParse(noted).success;
  } catch {
    return false;
  }
}

/**
 * What runs the package again. `npx <tarball>` leaves nothing that `npx turnpike` finds: it would ask the registry for the name.
 *
 * @param file - A module of the package.
 */
export function packageCommand(file: string): string {
  const folder = CACHE_OF_NPX.exec(file)?.[1];
  return folder !== undefined && isFromFile(folder)
    ? quoteWord(join(folder, "node_modules", ".bin", "turnpike"))
    : "npx turnpike";
}

/** What a person types in front of a command. */
export const COMMAND_LINE = IS_PUBLISHED
  ? packageCommand(import.meta.filename)
  : "npm run turnpike --";

/** What a person types to start the product. */
export const START_COMMAND = IS_PUBLISHED ? `${COMMAND_LINE} start` : "npm start";
