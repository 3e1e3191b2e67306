import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import type { PluginOption } from "vite";

/** Compiles catalogues where they are imported. */
export function catalogues(): PluginOption {
  return lingui({
    configPath: fileURLToPath(new URL("../lingui.config.ts", import.meta.url)),
    failOnCompileError: true,
  });
}
