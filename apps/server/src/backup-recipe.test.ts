import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { expect, it } from "vitest";

const run = promisify(execFile);
const PAGE = new URL("../../../docs/operations.md", import.meta.url);

/** The `sh` blocks of a page that contain a text. */
async function findRecipes(text: string): Promise<string[]> {
  const page = await readFile(PAGE, "utf8");
  return [...page.matchAll(/^```sh\n(?<body>.*?)^```/gms)]
    .map((block) => block.groups?.["body"] ?? "")
    .filter((body) => body.includes(text));
}

it("makes a backup by the recipes of docs/operations.md as they are written", async () => {
  await using folder = await makeTempFolder();
  const data = join(folder.path, "data");
  const bin = join(folder.path, "bin");
  for (const path of [bin, join(data, "files"), join(data, "secrets")]) {
    await mkdir(path, { recursive: true });
  }
  await writeFile(join(data, "postgres.password"), "canary");
  // Stands in for the real one, which writes where `-f` says and makes no folder.
  await writeFile(
    join(bin, "pg_dump"),
    '#!/bin/sh\nwhile [ "$1" != -f ]; do shift; done\necho dump > "$2"\n',
  );
  await chmod(join(bin, "pg_dump"), 0o755);
  const recipes = await findRecipes('cp -a "$DATA');
  expect(recipes).toHaveLength(2);
  for (const recipe of recipes) {
    await run("sh", ["-eu", "-c", recipe], {
      cwd: folder.path,
      env: { PATH: `${bin}:/usr/bin:/bin`, DATA: data },
    });
  }
  expect((await readdir(join(folder.path, "backup"))).sort()).toEqual([
    "files",
    "secrets",
    "turnpike.dump",
  ]);
  expect(await readdir(`${data}-copy`)).toEqual(await readdir(data));
});
