import { execFile, spawn } from "node:child_process";
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { connect } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type SpawnedScript, spawnScript } from "@turnpike/testkit/spawn-script";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  attachEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./embedded-postgres.ts";
import { locatePostgres } from "./postgres-binaries.ts";
import { clusterPaths } from "./postgres-cluster.ts";
import { findServerCommand, isPidTaken } from "./postgres-process.ts";
import { StartupError } from "./startup-error.ts";

const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const MODULE = join(import.meta.dirname, "embedded-postgres.ts");

/** Copied where a test is not about making a database, which takes a second of waiting for the disk. */
let finished: TempFolder;

beforeAll(async () => {
  finished = await makeTempFolder();
  const server = await startEmbeddedPostgres({ folder: finished.path, logger: QUIET });
  await server.stop();
});
afterAll(async () => finished[Symbol.asyncDispose]());

async function makeFolder(): Promise<string> {
  const folder = await makeTempFolder();
  onTestFinished(async () => folder[Symbol.asyncDispose]());
  return folder.path;
}

async function makeFolderWithDatabase(): Promise<string> {
  const path = await makeFolder();
  await promisify(execFile)("cp", ["-a", `${finished.path}/.`, path]);
  return path;
}

/** Another name of a folder, which the database's user can use as well. */
async function linkTo(folder: string): Promise<string> {
  const link = `${folder} by another name`;
  await symlink(folder, link);
  onTestFinished(() => rm(link));
  return link;
}

async function start(
  folder: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ folder, logger: QUIET, ...options });
  onTestFinished(async () => server.stop());
  return server;
}

async function query<T>(
  server: Pick<EmbeddedPostgres, "connection">,
  run: (sql: ReturnType<typeof connect>) => Promise<T>,
): Promise<T> {
  const sql = connect(server.connection, {
    connectionsMax: 1,
    applicationName: "test",
    statementTimeoutMs: 10_000,
  });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Starts the database from another process, which then waits to be killed. */
async function startFromAnotherProcess(
  folder: string,
): Promise<{ script: SpawnedScript; pid: number }> {
  const script = spawnScript(
    `import { startEmbeddedPostgres } from ${JSON.stringify(MODULE)};
     const quiet = { info() {}, warn() {}, error() {} };
     const server = await startEmbeddedPostgres({ folder: process.argv[1], logger: quiet });
     console.log(server.pid);
     setInterval(() => {}, 1000);`,
    folder,
  );
  onTestFinished(async () => script.kill());
  return { script, pid: Number(await script.nextLine()) };
}

async function startupErrorOf(attempt: Promise<unknown>): Promise<StartupError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StartupError) {
    return error;
  }
  throw new Error("It should have failed with a StartupError.", { cause: error });
}

/** Field of /proc/<pid>/stat after the name: 0 is the state, 3 the session. */
async function readStatField(pid: number, index: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[index];
}

async function listTcpListenersOf(pid: number): Promise<string[]> {
  const handles = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(
    handles.map((handle) => readlink(`/proc/${pid}/fd/${handle}`).catch(() => "")),
  );
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const listening = tables
    .flatMap((table) => table.split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === "0A");
  return listening
    .filter((fields) => links.includes(`socket:[${fields[9]}]`))
    .map((fields) => fields[1] ?? "");
}

describe("startEmbeddedPostgres", () => {
  it("makes a checksummed UTF-8 database and answers on it", async () => {
    const server = await start(await makeFolder());
    const [row] = await query(
      server,
      (sql) => sql`
        select current_database() as database, current_user as name,
          current_setting('data_checksums') as checksums, current_setting('fsync') as fsync,
          current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone`,
    );
    expect(row).toEqual({
      database: "turnpike",
      // No superuser.
      name: "turnpike_owner",
      checksums: "on",
      fsync: "on",
      encoding: "UTF8",
      zone: "UTC",
    });
    expect(server.majorVersion).toBe(18);
    expect(server.adopted).toBe(false);
  });

  it("keeps the data and the password from start to start", async () => {
    const folder = await makeFolderWithDatabase();
    const first = await start(folder);
    await query(first, (sql) => sql`create table kept as select 7 as value`);
    await first.stop();
    const second = await start(folder);
    expect(second.connection).toEqual(first.connection);
    expect(await query(second, (sql) => sql`select value from kept`)).toEqual([{ value: 7 }]);
  });

  it.runIf(IS_ROOT)("stays with the owner of the database when another user is named", async () => {
    const folder = await makeFolder();
    await (await start(folder, { databaseUser: "nobody" })).stop();
    const server = await start(folder, { databaseUser: "postgres" });
    expect((await stat(`/proc/${server.pid}`)).uid).toBe(NOBODY);
  });

  it.runIf(IS_ROOT)("names the user that does not exist", async () => {
    const error = await startupErrorOf(start(await makeFolder(), { databaseUser: "no-such-user" }));
    expect(error.code).toBe("DATABASE_USER_MISSING");
    expect(error.message).toContain("no-such-user");
    expect(error.hint).toContain("TURNPIKE_DATABASE_USER");
  });

  it("moves the socket out of a folder whose path is too long for one", async () => {
    const folder = join(await makeFolder(), "long-".repeat(20));
    await mkdir(folder, { mode: 0o700 });
    await chmod(dirname(folder), 0o711);
    const server = await start(folder);
    expect(server.connection.host).toMatch(/^\/tmp\/turnpike-/);
    expect((await stat(server.connection.host)).mode & 0o777).toBe(0o700);
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await server.stop();
    await expect(stat(server.connection.host)).rejects.toThrow("ENOENT");
  });

  it("leaves no process behind when it stops, and stops only once", async () => {
    const server = await start(await makeFolderWithDatabase());
    expect(server.isUp()).toBe(true);
    await Promise.all([server.stop(), server.stop()]);
    expect(server.isUp()).toBe(false);
    expect(isPidTaken(server.pid)).toBe(false);
  });

  it("cuts off a session that does not end by itself when it stops", async () => {
    const server = await start(await makeFolderWithDatabase());
    const sleeping = query(server, (sql) => sql`select pg_sleep(600)`).catch(
      (reason: unknown) => reason,
    );
    await pollUntil("the session is busy", async () => {
      const rows = await query(
        server,
        (sql) => sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    });
    await server.stop();
    expect(await sleeping).toBeInstanceOf(Error);
    expect(isPidTaken(server.pid)).toBe(false);
  });
});

describe("a running server", () => {
  let folder: TempFolder;
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    folder = await makeTempFolder();
    server = await startEmbeddedPostgres({ folder: folder.path, logger: QUIET });
  });
  afterAll(async () => {
    await server.stop();
    await folder[Symbol.asyncDispose]();
  });

  it.runIf(process.platform === "linux")("listens on no TCP port", async () => {
    expect(await listTcpListenersOf(server.pid)).toEqual([]);
    // The check itself sees a listener where there is one.
    const { createServer } = await import("node:net");
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    expect(await listTcpListenersOf(process.pid)).not.toEqual([]);
    listener.close();
  });

  it("refuses a wrong password", async () => {
    const intruder = { connection: { ...server.connection, password: "wrong" } };
    const error: unknown = await query(intruder, (sql) => sql`select 1`).catch(
      (reason: unknown) => reason,
    );
    expect(databaseErrorCode(error)).toBe("28P01");
  });

  it.runIf(IS_ROOT)("lets no other user reach its socket", async () => {
    const socket = join(server.connection.host, `.s.PGSQL.${server.connection.port}`);
    const attempt = (uid: number): SpawnedScript =>
      spawnScript(
        `import { connect } from "node:net";
         process.setgroups([]); process.setgid(${uid}); process.setuid(${uid});
         connect(process.argv[1])
           .on("connect", () => { console.log("connected"); process.exit(); })
           .on("error", (error) => console.log(error.code));`,
        socket,
      );
    expect(await attempt(NOBODY).nextLine()).toBe("EACCES");
    expect(await attempt(0).nextLine()).toBe("connected");
  });

  it("keeps the folder of the database, the log and the password private", async () => {
    const paths = clusterPaths(folder.path);
    for (const path of [paths.cluster, paths.log, paths.password, server.connection.host]) {
      expect((await stat(path)).mode & 0o077, path).toBe(0);
    }
  });

  it.runIf(IS_ROOT)("runs as an unprivileged user without any of our groups", async () => {
    const status = await readFile(`/proc/${server.pid}/status`, "utf8");
    expect(status).toMatch(/^Uid:\s+[1-9]/m);
    expect(status).toMatch(/^Gid:\s+[1-9]/m);
    expect(status).toMatch(/^Groups:\s*$/m);
  });

  it.runIf(process.platform === "linux")("runs in a session of its own", async () => {
    expect(await readStatField(server.pid, 3)).toBe(String(server.pid));
  });
});

describe.runIf(IS_ROOT)("with a checkout that the database's user cannot enter", () => {
  async function makePrivateInstallation(): Promise<{ folder: string; version: string }> {
    const home = await makeFolder();
    const original = await locatePostgres();
    const folder = join(home, "checkout", "native");
    await cp(original.folder, folder, { recursive: true, verbatimSymlinks: true });
    await chown(home, NOBODY, NOBODY);
    await chmod(home, 0o700);
    return { folder, version: original.version };
  }

  it("runs from a copy, which it makes once and repairs when it is damaged", async () => {
    const folder = await makeFolder();
    const installation = await makePrivateInstallation();
    const options = { installation, databaseUser: "postgres" };
    const copy = join(clusterPaths(folder).binaries, installation.version);
    const copyTime = async (): Promise<number> => (await stat(copy)).ctimeMs;

    const first = await start(folder, options);
    expect(await readlink(`/proc/${first.pid}/exe`)).toBe(join(copy, "bin", "postgres"));
    expect((await stat(join(copy, "bin", "postgres"))).uid).toBe(0);
    const madeAt = await copyTime();
    await first.stop();

    await (await start(folder, options)).stop();
    expect(await copyTime()).toBe(madeAt);

    await truncate(join(copy, "share", "postgresql", "postgres.bki"));
    const repaired = await start(folder, options);
    expect(await query(repaired, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(await copyTime()).not.toBe(madeAt);
  });

  it("removes the copy of a version that it no longer runs", async () => {
    const folder = await makeFolder();
    const installation = await makePrivateInstallation();
    const old = join(clusterPaths(folder).binaries, "1.0.0");
    await mkdir(old, { recursive: true });
    await start(folder, { installation, databaseUser: "postgres" });
    expect(await readdir(clusterPaths(folder).binaries)).toEqual([installation.version]);
  });

  it("says so when that user cannot enter the data folder either", async () => {
    const parent = await makeFolder();
    const folder = join(parent, "data");
    await mkdir(folder, { mode: 0o700 });
    const error = await startupErrorOf(start(folder, { databaseUser: "postgres" }));
    expect(error.code).toBe("DATA_FOLDER_NOT_ENTERABLE");
    expect(error.message).toContain("postgres, who cannot enter the data folder");
    expect(error.hint).toContain("TURNPIKE_DATA_DIR");
  });
});

describe("the settings of the folder", () => {
  const readBuffers = async (server: Awaited<ReturnType<typeof start>>) => {
    const [row] = await query(
      server,
      (sql) => sql<{ mib: number }[]>`
        select setting::int / 128 as mib from pg_settings where name = 'shared_buffers'`,
    );
    return row?.mib;
  };

  it("give a new database an eighth of the memory, within bounds, and are whose folder it is", async () => {
    const folder = await makeFolderWithDatabase();
    const server = await start(folder);
    const eighthMib = Math.floor(totalmem() / 8 / 1_024 / 1_024);
    const mib = await readBuffers(server);
    expect(mib).toBeGreaterThanOrEqual(128);
    expect(mib).toBeLessThanOrEqual(Math.min(Math.max(eighthMib, 128), 1_024));
    await server.stop();
    await appendFile(
      join(clusterPaths(folder).cluster, "postgresql.conf"),
      "shared_buffers = 72MB\n",
    );
    expect(await readBuffers(await start(folder))).toBe(72);
  });
});

describe("after a kill", () => {
  it("adopts the server that the killed process left, with its data", async () => {
    const folder = await makeFolderWithDatabase();
    const { script, pid } = await startFromAnotherProcess(folder);
    await script.kill();
    expect(await findServerCommand(pid, clusterPaths(folder).cluster)).toBeDefined();

    const server = await start(folder);
    expect(server.adopted).toBe(true);
    expect(server.pid).toBe(pid);
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await server.stop();
    expect(await findServerCommand(pid, clusterPaths(folder).cluster)).toBeUndefined();
  });

  it("replaces a left server that does not run what we would start", async () => {
    const folder = await makeFolderWithDatabase();
    const { script, pid } = await startFromAnotherProcess(folder);
    await script.kill();
    const server = await start(folder, { settings: { work_mem: "5MB" } });
    expect(server.adopted).toBe(false);
    expect(server.pid).not.toBe(pid);
    expect(await query(server, (sql) => sql`show work_mem`)).toEqual([{ work_mem: "5MB" }]);
  });

  it("replaces a left server that was started under another name of the folder", async () => {
    const folder = await makeFolderWithDatabase();
    const link = await linkTo(folder);
    const { script, pid } = await startFromAnotherProcess(link);
    await script.kill();
    const server = await start(folder);
    expect(server.pid).not.toBe(pid);
    expect(await findServerCommand(pid, clusterPaths(folder).cluster)).toBeUndefined();
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it("recovers what was committed when the database was killed as well", async () => {
    const folder = await makeFolderWithDatabase();
    const { script, pid } = await startFromAnotherProcess(folder);
    const connection = await attachEmbeddedPostgres({ folder });
    if (connection === undefined) {
      throw new Error("The server should be running.");
    }
    await query({ connection }, (sql) => sql`create table kept as select 7 as value`);
    await script.kill();
    process.kill(pid, "SIGKILL");

    const server = await start(folder);
    expect(server.adopted).toBe(false);
    expect(await query(server, (sql) => sql`select value from kept`)).toEqual([{ value: 7 }]);
  });

  it("starts although another process has got the pid in postmaster.pid", async () => {
    const folder = await makeFolderWithDatabase();
    const first = await start(folder);
    const pidFile = join(clusterPaths(folder).cluster, "postmaster.pid");
    const contents = await readFile(pidFile, "utf8");
    const owner = await stat(pidFile);
    await first.stop();
    // Of the same user, because PostgreSQL itself ignores pids of others.
    const stranger = spawn("sleep", ["60"], {
      stdio: "ignore",
      ...(IS_ROOT ? { uid: owner.uid, gid: owner.gid } : {}),
    });
    onTestFinished(() => void stranger.kill());
    const socketLock = join(first.connection.host, `.s.PGSQL.${first.connection.port}.lock`);
    for (const path of [pidFile, socketLock]) {
      await writeFile(path, contents.replace(/^\d+/, String(stranger.pid)), { mode: 0o600 });
      await chown(path, owner.uid, owner.gid);
    }

    const server = await start(folder);
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(stranger.exitCode).toBeNull();
  });

  it("makes the database anew when the first start was cut short", async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, "postgres.new-0123"));
    await writeFile(join(folder, "postgres.new-0123", "PG_VERSION"), "18\n");
    const server = await start(folder);
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect((await readdir(folder)).filter((name) => name.includes("new"))).toEqual([]);
  });
});

describe("an unexpected end of the database", () => {
  it("is answered by a new start at the same address", async () => {
    const states: string[] = [];
    const server = await start(await makeFolderWithDatabase(), {
      onStateChange: (state) => states.push(state),
    });
    const before = server.pid;
    process.kill(before, "SIGKILL");
    await pollUntil("the database is back", () => states.includes("up"));
    expect(states).toEqual(["down", "up"]);
    expect(server.pid).not.toBe(before);
    expect(server.isUp()).toBe(true);
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it("does not bring it back once stop has been called", async () => {
    const folder = await makeFolderWithDatabase();
    const states: string[] = [];
    const server = await start(folder, { onStateChange: (state) => states.push(state) });
    process.kill(server.pid, "SIGKILL");
    await pollUntil("the end is noticed", () => states.includes("down"));
    await server.stop();
    expect(await attachEmbeddedPostgres({ folder })).toBeUndefined();
    expect(server.isUp()).toBe(false);
  });
});

describe("a start that cannot succeed", () => {
  it("names both versions when another major version made the database", async () => {
    const folder = await makeFolderWithDatabase();
    await (await start(folder)).stop();
    const cluster = clusterPaths(folder).cluster;
    await writeFile(join(cluster, "PG_VERSION"), "17\n");
    const error = await startupErrorOf(start(folder));
    expect(error.code).toBe("DATABASE_VERSION_MISMATCH");
    expect(error.message).toMatch(/made by PostgreSQL 17.*brings PostgreSQL 18/);
    expect(error.hint).toContain("pg_dump 17");
  });

  it("quotes what the server said", async () => {
    const error = await startupErrorOf(
      start(await makeFolderWithDatabase(), { settings: { work_mem: "plenty" } }),
    );
    expect(error.code).toBe("DATABASE_START_FAILED");
    expect(error.message).toContain('invalid value for parameter "work_mem": "plenty"');
  });

  it("leaves files alone that are no database", async () => {
    const folder = await makeFolder();
    const cluster = clusterPaths(folder).cluster;
    await mkdir(cluster);
    await writeFile(join(cluster, "precious"), "");
    const error = await startupErrorOf(start(folder));
    expect(error.message).toContain("holds files but no database");
    expect(await readdir(cluster)).toEqual(["precious"]);
  });

  it.each([
    { name: "is missing", damage: (path: string) => truncate(path).then(() => chmod(path, 0o600)) },
    { name: "can be read by others", damage: (path: string) => chmod(path, 0o640) },
    { name: "is not the one", damage: (path: string) => writeFile(path, "another\n") },
  ])("refuses when the password $name", async ({ damage }) => {
    const folder = await makeFolderWithDatabase();
    await (await start(folder)).stop();
    await damage(clusterPaths(folder).password);
    const error = await startupErrorOf(start(folder));
    expect(error.code).toBe("DATABASE_PASSWORD_UNUSABLE");
    expect(await attachEmbeddedPostgres({ folder })).toBeUndefined();
  });
});

describe("attachEmbeddedPostgres", () => {
  it("finds a running server, and none before and after", async () => {
    const folder = await makeFolderWithDatabase();
    expect(await attachEmbeddedPostgres({ folder })).toBeUndefined();
    const server = await start(folder);
    expect(await attachEmbeddedPostgres({ folder })).toEqual(server.connection);
    await server.stop();
    expect(await attachEmbeddedPostgres({ folder })).toBeUndefined();
  });

  it("finds it under another name of the folder", async () => {
    const folder = await makeFolderWithDatabase();
    const link = await linkTo(folder);
    const server = await start(link);
    expect(await attachEmbeddedPostgres({ folder })).toEqual(server.connection);
    expect(await attachEmbeddedPostgres({ folder: link })).toEqual(server.connection);
  });
});
