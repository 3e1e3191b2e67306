import { buildArtifact, ensureArtifact } from "./artifact.mjs";

const SDK = {
  name: "SDK",
  folder: "packages/sdk",
  sources: ["packages/sdk/src"],
  built: ["index", "express", "fastify", "hono", "next"].flatMap((entry) => [
    `dist/${entry}.js`,
    `dist/${entry}.d.ts`,
  ]),
  program: ["node_modules/typescript/bin/tsc", "--project", "tsconfig.json", "--noEmit", "false"],
};

/**
 * Builds the SDK when it is missing or its sources have changed, so that programs of the checkout can import it. The
 * product itself runs without it: that it does not build is said and stops nothing.
 */
export async function ensureSdk() {
  try {
    await ensureArtifact(SDK);
  } catch (error) {
    console.error(`turnpike: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Builds the SDK in any case. */
export const buildSdk = () => buildArtifact(SDK);
