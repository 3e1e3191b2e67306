import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** What these commands remember; gone with `node_modules`, as it must be. */
export const STATE_FOLDER = join(ROOT, "node_modules/.turnpike");

/** Node keeps what it compiled there: a command starts in half of the time. */
export const COMPILE_CACHE = join(STATE_FOLDER, "compiled");

/** Node 24, also when npm itself runs on another. */
export const NODE_24 = join(ROOT, "node_modules/node/bin/node");
