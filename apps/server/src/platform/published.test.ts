import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it } from "vitest";
import { packageCommand } from "./published.ts";

async function commandFrom(parts: readonly string[], dependency: string): Promise<string> {
  await using temporary = await makeTempFolder();
  const folder = join(temporary.path, ...parts);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ dependencies: { turnpike: dependency } }),
  );
  const command = packageCommand(join(folder, "node_modules", "turnpike", "apps", "published.js"));
  return command.replace(temporary.path, "");
}

describe("the command that a person types", () => {
  it("is one that runs after npx was given a tarball, whose name no registry knows", async () => {
    expect(await commandFrom(["_npx", "0079979d"], "file:../../turnpike-0.1.0.tgz")).toBe(
      "/_npx/0079979d/node_modules/.bin/turnpike",
    );
  });

  it("is one word of the shell where the folder's name has a blank", async () => {
    expect(await commandFrom(["Jo Ann", "_npx", "0079979d"], "file:../turnpike-0.1.0.tgz")).toBe(
      "'/Jo Ann/_npx/0079979d/node_modules/.bin/turnpike'",
    );
  });

  it("is npx turnpike where npx finds the name: in the registry, or in the folder", async () => {
    expect(await commandFrom(["_npx", "0079979d"], "^0.1.0")).toBe("npx turnpike");
    expect(await commandFrom(["shop"], "file:../turnpike-0.1.0.tgz")).toBe("npx turnpike");
    expect(packageCommand("/usr/lib/node_modules/turnpike/apps/published.js")).toBe("npx turnpike");
  });
});
