import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { minifyContractRouter } from "@orpc/contract";
import { contract } from "@turnpike/contract/contract";
import type { Plugin } from "vite";

export const CONTRACT_ROUTES_PATH = fileURLToPath(
  new URL("../src/platform/contract.gen.json", import.meta.url),
);

/** What only readers of the reference need. */
const FOR_READERS = new Set(["summary", "description", "tags"]);
/** What only the server decides by: scopes, bounds of bodies. */
const FOR_THE_SERVER = "meta";

/**
 * Renders the method and path of every operation as JSON.
 *
 * Without the schemas, the browser needs neither them nor the validation library.
 */
export function renderContractRoutes(): string {
  const keep = (name: string, value: unknown) => {
    if (FOR_READERS.has(name)) {
      return;
    }
    // The client's library asks whether it is there.
    return name === FOR_THE_SERVER ? {} : value;
  };
  return `${JSON.stringify(minifyContractRouter(contract), keep, 1)}\n`;
}

/** Vite plugin that updates `contract.gen.json` from the contract before bundling. */
export function contractRoutes(): Plugin {
  return {
    name: "contract-routes",
    async buildStart() {
      const routes = renderContractRoutes();
      const current = await readFile(CONTRACT_ROUTES_PATH, "utf8").catch(() => undefined);
      // Writing an unchanged file would start a reload.
      if (current !== routes) {
        await writeFile(CONTRACT_ROUTES_PATH, routes);
      }
    },
  };
}
