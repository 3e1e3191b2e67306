import { join } from "node:path";
import { ensureArtifact } from "./artifact.mjs";
import { ensureConsole } from "./console.mjs";
import { ROOT } from "./paths.mjs";

/** The package `turnpike` of npm, ready for `npm pack`. */
const PACKAGE = {
  name: "package",
  folder: ".",
  sources: [
    "apps/server/src",
    "apps/console",
    "packages/ui",
    "packages/contract/src",
    "packages/db",
    "packages/domain/src",
    "examples/demo-api/src",
    "docs",
    "packaging/npm",
    "tools/package",
  ],
  built: ["package.json", "bin/turnpike.js", "apps/console/dist/index.html"].map(
    (file) => `dist/package/${file}`,
  ),
  program: ["tools/build-package.ts"],
};

/**
 * Builds the package when it is missing or what is in it has changed.
 *
 * @returns {Promise<string>} Its folder, as an absolute path.
 */
export async function ensurePackage() {
  await ensureConsole();
  await ensureArtifact(PACKAGE);
  return join(ROOT, "dist/package");
}
