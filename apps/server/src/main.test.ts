import { once } from "node:events";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome } from "@turnpike/testkit/product";
import {
  databaseUrlOf,
  type ProductProcess,
  startProduct,
} from "@turnpike/testkit/product-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let folder: TempFolder;
let database: TestDatabase;
let databaseUrl: string;
beforeAll(async () => {
  folder = await makeTempFolder();
  database = await createTestDatabase();
  databaseUrl = databaseUrlOf(database);
});
afterAll(async () => {
  await database.close();
  await folder[Symbol.asyncDispose]();
});

/** Of the one database behind the many data folders. */
const IDENTITY_SECRET = "a secret that only this test file uses";

/** Starts the product on a database of this test file, so that a start takes a moment only. */
function start(env: Record<string, string>): ProductProcess {
  const shared = { DATABASE_URL: databaseUrl, TURNPIKE_IDENTITY_SECRET: IDENTITY_SECRET };
  return startProduct({ cwd: folder.path, env: { ...shared, ...env } });
}

async function expectRefusal(env: Record<string, string>, line: RegExp): Promise<void> {
  const { code, stderr, stdout } = await start(env).ended;
  expect(stderr).toMatch(line);
  expect(code).toBe(1);
  expect(stdout).not.toContain("is ready");
}

async function takePort() {
  const server = createServer();
  const port = await findFreePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return { port: String(port), free: () => server.close() };
}

let folders = 0;
/** A data folder that no other case uses. */
function dataFolder(): string {
  folders += 1;
  return join(folder.path, `data-${String(folders)}`);
}

describe("the start refuses in one line with a way out", () => {
  it("names the variable of a port that is taken", async () => {
    const taken = await takePort();
    const folderOfRefused = dataFolder();
    await expectRefusal(
      { PORT: taken.port, TURNPIKE_DATA_DIR: folderOfRefused },
      /^turnpike: Port \d+ is taken by another program\. Set PORT to a free port[^\n]*\n$/,
    );
    await expectRefusal(
      { GATEWAY_PORT: taken.port, TURNPIKE_DATA_DIR: dataFolder() },
      /^turnpike: Port \d+ is taken by another program\. Set GATEWAY_PORT to a free port[^\n]*\n$/,
    );
    taken.free();
    expect(await readdir(folderOfRefused)).not.toContain("turnpike.pid");
  });

  it("lists every mistake of the configuration with file and line", async () => {
    const path = join(folder.path, "bad.yaml");
    await writeFile(path, "brand:\n  name: ''\nnonsense: 1\n");
    await expectRefusal(
      { TURNPIKE_CONFIG: path, TURNPIKE_LOG_LEVEL: "loud", TURNPIKE_DATA_DIR: dataFolder() },
      /3 mistakes:\n {2}TURNPIKE_LOG_LEVEL [^\n]*\n {2}[^\n]*bad\.yaml:2 [^\n]*\n {2}[^\n]*bad\.yaml:3 [^\n]*nonsense/,
    );
  });

  it("says that the data folder cannot be used", async () => {
    const path = join(folder.path, "a-file");
    await writeFile(path, "");
    await expectRefusal(
      { TURNPIKE_DATA_DIR: join(path, "below") },
      /^turnpike: The data folder \S+ is not writable [^\n]* set TURNPIKE_DATA_DIR to a folder that is\.\n$/,
    );
  });

  it("says that the data folder is open to others", async () => {
    const path = dataFolder();
    await mkdir(path);
    await writeFile(join(path, "something"), "");
    await chmod(path, 0o755);
    await expectRefusal(
      { TURNPIKE_DATA_DIR: path },
      /^turnpike: Other users can read or write the data folder \S+\. Run `chmod -R go-rwx \S+`\.\n$/,
    );
  });

  it("says that the database cannot be reached, without its password", async () => {
    const { stderr, code } = await start({
      TURNPIKE_DATA_DIR: dataFolder(),
      DATABASE_URL: "postgres://someone:hunter2@127.0.0.1:1/turnpike",
    }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^turnpike: The database at 127\.0\.0\.1:1\/turnpike cannot be used/);
    expect(stderr).toContain("DATABASE_URL");
    expect(stderr).not.toContain("hunter2");
  });

  it("does not touch a database that a newer version has migrated", async () => {
    await database.sql`insert into turnpike_migrations (name) values ('9999_from_the_future.sql')`;
    await expectRefusal(
      { TURNPIKE_DATA_DIR: dataFolder() },
      /^turnpike: The database was migrated by a newer version of Turnpike \(9999_from_the_future\.sql\)\. Start that version again/,
    );
    await database.sql`delete from turnpike_migrations where name like '9999%'`;
  });

  it("does not share a data folder with a process that runs", async () => {
    const path = dataFolder();
    const first = start({ TURNPIKE_DATA_DIR: path });
    const addresses = await first.ready;
    const inUse =
      /^turnpike: Waiting for process \d+, which still uses \S+\nturnpike: The data folder \S+ is in use by another process \(pid \d+\)\. Stop that one first/;
    await expectRefusal({ TURNPIKE_DATA_DIR: path }, inUse);
    // On the same ports as well, as when the product is started twice: they are not another program's.
    await expectRefusal(
      {
        TURNPIKE_DATA_DIR: path,
        PORT: new URL(addresses.console).port,
        GATEWAY_PORT: new URL(addresses.gateway).port,
      },
      inUse,
    );
    first.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
  });
});

describe("the start refuses what would let anybody in", () => {
  it("refuses a variable under which tokens are not signed", async () => {
    await expectRefusal(
      { FIREBASE_AUTH_EMULATOR_HOST: "localhost:9099", TURNPIKE_DATA_DIR: dataFolder() },
      /^turnpike: The configuration has a mistake:\n {2}FIREBASE_AUTH_EMULATOR_HOST {2}Must not be set/,
    );
  });
});

describe("a running instance", () => {
  it("answers health, prints a setup link until it is claimed, and stops cleanly on SIGTERM", async () => {
    const instance = start({ TURNPIKE_DATA_DIR: dataFolder() });
    const { console: base } = await instance.ready;
    expect(await (await fetch(`${base}/health/live`)).json()).toEqual({ status: "live" });
    const ready = await fetch(`${base}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ parts: { database: { status: "ok" } } });
    const otherName = base.replace("//localhost:", "//127.0.0.1:");
    const openPage = async (path: string) => {
      const headers = { accept: "text/html" };
      const reply = await fetch(otherName + path, { headers, redirect: "manual" });
      return { status: reply.status, location: reply.headers.get("location") };
    };
    for (const page of ["/", "/register?invitation=x", "/overview"]) {
      expect(await openPage(page)).toEqual({ status: 307, location: base + page });
    }
    for (const path of ["/health/live", "/health/ready", "/config.json", "/v1/plans"]) {
      expect(await openPage(path)).toEqual({ status: 200, location: null });
    }
    instance.kill("SIGTERM");
    const { code, stdout, stderr } = await instance.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/Setup {4}\S+\/register#setup=[\w-]{32} /);
  });

  it.each(["1", "2"])(
    "stops cleanly with %s workers although its log has no reader any more",
    async (workers) => {
      const instance = start({ TURNPIKE_DATA_DIR: dataFolder(), TURNPIKE_WORKERS: workers });
      await instance.ready;
      instance.closeOutput();
      instance.kill("SIGINT");
      expect(await instance.ended).toMatchObject({ code: 0 });
    },
  );

  it("serves by several workers, which start, answer and stop as one", async () => {
    const instance = start({ TURNPIKE_DATA_DIR: dataFolder(), TURNPIKE_WORKERS: "2" });
    const { console: base } = await instance.ready;
    const seen = new Set<string>();
    await pollUntil("an answer of each worker", async () => {
      const reply = await fetch(`${base}/health/ready`, { headers: { connection: "close" } });
      const { status, parts } = (await reply.json()) as {
        status: string;
        parts: Record<string, { detail?: string }>;
      };
      expect(status).toBe("ready");
      seen.add(parts["workers"]?.detail ?? "");
      return seen.size === 2;
    });
    expect([...seen].sort()).toEqual(["This is worker 1 of 2.", "This is worker 2 of 2."]);
    await expectRefusal(
      { PORT: new URL(base).port, TURNPIKE_DATA_DIR: dataFolder(), TURNPIKE_WORKERS: "2" },
      /^turnpike: Port \d+ is taken by another program\. Set PORT to a free port[^\n]*\n$/,
    );
    instance.kill("SIGTERM");
    const { code, stdout, stderr } = await instance.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/Setup {4}/g)).toHaveLength(1);
  });

  it("that is ended while it starts leaves no database behind", async () => {
    await using home = await makeProductHome({ TURNPIKE_LOG_LEVEL: "info" });
    const program = home.run("apps/server/src/main.ts");
    await pollUntil("the database is there", () =>
      home.readDatabasePid().then(
        (pid) => pid > 0,
        () => false,
      ),
    );
    program.kill("SIGINT");
    expect(await program.ended).toMatchObject({ code: 0 });
    expect(program.output()).not.toContain("is ready");
    expect(await readdir(join(home.dataFolder, "postgres"))).not.toContain("postmaster.pid");
  });
});
