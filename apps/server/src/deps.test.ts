import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createOldDatabase } from "@turnpike/testkit/old-database";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { spawnScript } from "@turnpike/testkit/spawn-script";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { attachEmbeddedPostgres } from "#platform/embedded-postgres.ts";
import { readConfig } from "./config.ts";
import { type Installation, openForCommand } from "./deps.ts";

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

describe("commands without a server", () => {
  it("keep the database that one of them started until the last has ended, for those that come meanwhile as well", async () => {
    await using home = await makeTempFolder();
    const config = {
      ...readConfig({ TURNPIKE_DATA_DIR: home.path }, { isRoot: false, workingFolder: home.path }),
      logLevel: "silent",
    };
    const count = async ({ database: { sql } }: Installation) =>
      (await sql`select 1 from plans`).length;
    const first = await openForCommand(config, { mayCreate: true });
    const second = await openForCommand(config);
    const closing = first.close();
    await delay(500);
    const third = await openForCommand(config);
    expect(await count(second)).toBeGreaterThan(0);
    await second.close();
    await delay(500);
    expect(await count(third)).toBeGreaterThan(0);
    await third.close();
    await delay(100);
    // The first is ending, or will wait for this one as well.
    const fourth = await openForCommand(config);
    expect(await count(fourth)).toBeGreaterThan(0);
    await fourth.close();
    await closing;
    expect(await attachEmbeddedPostgres({ folder: home.path })).toBeUndefined();
  });
});

describe("who acts on the command line", () => {
  it.skipIf(process.getuid?.() !== 0)("is the uid of a user without a name", async () => {
    const script = spawnScript(
      `const { commandContext } = await import(${JSON.stringify(join(import.meta.dirname, "deps.ts"))});
       process.seteuid(54_321);
       console.log(commandContext({ newId: () => "req_test" }).actor.id);`,
    );
    onTestFinished(() => script.kill());
    expect(await script.nextLine()).toBe("command line (uid 54321)");
  });
});
