import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { spawnScript } from "@turnpike/testkit/spawn-script";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "./config.ts";
import { openForCommand } from "./deps.ts";

let database: TestDatabase;
let folder: TempFolder;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
});
afterAll(async () => {
  await database.close();
  await folder[Symbol.asyncDispose]();
});

function openCommandOn(url: string) {
  const config = readConfig(
    { DATABASE_URL: url, TURNPIKE_DATA_DIR: join(folder.path, "data") },
    { isRoot: false, workingFolder: folder.path },
  );
  return openForCommand({ ...config, logLevel: "silent" });
}

describe("a command with a database of one's own", () => {
  it("makes no installation in an empty one", async () => {
    const name = `empty_${randomBytes(6).toString("hex")}`;
    await database.sql`create database ${database.sql(name)}`;
    const url = databaseUrlOf({ ...database, target: { ...database.target, database: name } });
    const refusal = { code: "INSTALLATION_MISSING", message: expect.stringContaining(name) };
    // A second time: the first left nothing behind that would count as one.
    await expect(openCommandOn(url)).rejects.toMatchObject(refusal);
    await expect(openCommandOn(url)).rejects.toMatchObject(refusal);
    await database.sql`drop database ${database.sql(name)}`;
  });

  it("does not migrate one of an older version, whose server may run", async () => {
    await using old = await createOldDatabase(database, "0002");
    const url = databaseUrlOf({ ...database, target: old.target });
    await expect(openCommandOn(url)).rejects.toMatchObject({
      code: "SCHEMA_OLDER",
      message: expect.stringContaining("from 0002_"),
    });
    expect(await old.sql`select name from turnpike_migrations`).toHaveLength(1);
  });

  it("joins one of its own version", async () => {
    const installation = await openCommandOn(databaseUrlOf(database));
    await installation.close();
  });
});

describe("who acts on the command line", () => {
  it.skipIf(process.getuid?.() !== 0)("is told by the uid of a user without a name", async () => {
    const script = spawnScript(
      `const { commandContext } = await import(${JSON.stringify(join(import.meta.dirname, "deps.ts"))});
       process.seteuid(54_321);
       console.log(commandContext({ newId: () => "req_test" }).actor.id);`,
    );
    onTestFinished(() => script.kill());
    expect(await script.nextLine()).toBe("command line (uid 54321)");
  });
});
