import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { compileModule } from "./package/compile.ts";
import { toManifest } from "./package/manifest.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PACKAGE = join(ROOT, "dist/package");

/** What the product runs on, in the places that it has in the repository: modules find files beside them by these. */
const SOURCES = [
  "apps/server/src",
  ...["db", "domain", "contract"].map((name) => `packages/${name}/src`),
  "examples/demo-api/src",
];
const FILES = [
  "LICENSE",
  "CHANGELOG.md",
  "docs",
  "packages/db/migrations",
  "packages/ui/src/tokens.css",
  "apps/console/src/locales/server",
  "apps/console/dist",
  "apps/console/dist-server",
];
const FOR_TESTS = /\.(test|spec|fixture|suite)\.ts$/;

async function put(file: string, text: string): Promise<void> {
  const path = join(PACKAGE, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function compileSources(folder: string): Promise<void> {
  for await (const file of glob(`${folder}/**/*.*`, { cwd: ROOT })) {
    if (FOR_TESTS.test(file)) {
      continue;
    }
    if (file.endsWith(".ts")) {
      const source = await readFile(join(ROOT, file), "utf8");
      await put(file.replace(/\.ts$/, ".js"), compileModule(source));
    } else {
      await mkdir(dirname(join(PACKAGE, file)), { recursive: true });
      await cp(join(ROOT, file), join(PACKAGE, file));
    }
  }
}

await rm(PACKAGE, { recursive: true, force: true });
for (const folder of SOURCES) {
  await compileSources(folder);
}
for (const file of FILES) {
  await cp(join(ROOT, file), join(PACKAGE, file), { recursive: true });
}
await mkdir(join(PACKAGE, "bin"));
await cp(join(ROOT, "packaging/npm/turnpike.js"), join(PACKAGE, "bin/turnpike.js"));
await cp(join(ROOT, "packaging/npm/README.md"), join(PACKAGE, "README.md"));
await put("package.json", `${JSON.stringify(await toManifest(ROOT), null, 2)}\n`);
