import { buildArtifact, ensureArtifact } from "./artifact.mjs";

const CONSOLE = {
  name: "console",
  folder: "apps/console",
  sources: ["apps/console", "packages/ui", "packages/contract/src", "packages/domain/src"],
  // What browsers load, and what the server renders public pages with.
  built: ["dist/index.html", "dist-server/entry-server.js"],
  program: ["node_modules/vite/bin/vite.js", "build"],
};

/** Builds the console when it is missing or its sources have changed. */
export const ensureConsole = () => ensureArtifact(CONSOLE);

/** Builds the console in any case. */
export const buildConsole = () => buildArtifact(CONSOLE);
