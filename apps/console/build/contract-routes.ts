import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { minifyContractRouter } from "@orpc/contract";
import { contract } from "@turnpike/contract/contract";
import type { Plugin } from "vite";

export const CONTRACT_ROUTES_PATH = fileURLToPath(
  new URL("../src/platform/contract.gen.json", import.meta.url),
);

/**
 * Renders method and path of every operation as JSON.
 *
 * The schemas stay behind, so that the browser gets neither them nor the validation library.
 */
export function renderContractRoutes(): string {
  return `${JSON.stringify(minifyContractRouter(contract), null, 1)}\n`;
}

/** Vite plugin: brings `contract.gen.json` up to the contract before anything is bundled. */
export function contractRoutes(): Plugin {
  return {
    name: "contract-routes",
    async buildStart() {
      const routes = renderContractRoutes();
      const current = await readFile(CONTRACT_ROUTES_PATH, "utf8").catch(() => undefined);
      // A file that is not touched starts no reload.
      if (current !== routes) {
        await writeFile(CONTRACT_ROUTES_PATH, routes);
      }
    },
  };
}
