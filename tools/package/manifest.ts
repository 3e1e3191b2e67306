import { readFile } from "node:fs/promises";
import { join } from "node:path";

type Manifest = {
  version: string;
  description: string;
  license: string;
  dependencies?: Record<string, string>;
};

/** The packages whose modules are in the published one: what they need is what it needs. */
const PARTS = [
  "apps/server",
  "packages/db",
  "packages/domain",
  "packages/contract",
  "examples/demo-api",
];

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

/** What `imports` of the published package says: the rooms of the server, and the packages of the repository. */
const IMPORTS = {
  "#platform/*": "./apps/server/src/platform/*",
  "#http/*": "./apps/server/src/http/*",
  "#modules/*": "./apps/server/src/modules/*",
  "#config.js": "./apps/server/src/config.js",
  "#deps.js": "./apps/server/src/deps.js",
  "#app.js": "./apps/server/src/app.js",
  ...Object.fromEntries(
    ["packages/db", "packages/domain", "packages/contract", "examples/demo-api"].map((folder) => [
      `#${folder.slice(folder.indexOf("/") + 1)}/*`,
      `./${folder}/src/*.js`,
    ]),
  ),
};

/** Writes the `package.json` of the published package. Versions of what it needs are exact, as in the repository. */
export async function toManifest(root: string): Promise<Record<string, unknown>> {
  const { version, description, license } = await readManifest(root);
  const parts = await Promise.all(PARTS.map((part) => readManifest(join(root, part))));
  const dependencies = parts
    .flatMap((part) => Object.entries(part.dependencies ?? {}))
    .filter(([name]) => !name.startsWith("@turnpike/"))
    .sort(([a], [b]) => a.localeCompare(b));
  return {
    name: "turnpike",
    version,
    description,
    license,
    type: "module",
    bin: { turnpike: "bin/turnpike.js" },
    engines: { node: ">=24.7" },
    imports: IMPORTS,
    dependencies: Object.fromEntries(dependencies),
  };
}
