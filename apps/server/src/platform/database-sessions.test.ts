import { chmod, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import {
  hasProgram,
  type LoggedProgram,
  startLogged,
} from "@turnpike/testkit/cluster/logged-program";
import { THIS_MACHINE } from "@turnpike/testkit/cluster/place";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keepsSessions } from "./database-sessions.store.ts";

let database: TestDatabase;
let folder: TempFolder;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
  await chmod(folder.path, 0o711);
});
afterAll(async () => {
  await database.close();
  await folder[Symbol.asyncDispose]();
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("connect", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

/** Debian's PgBouncer in front of the test's database. */
async function startPooler(mode: string): Promise<{ pooler: LoggedProgram; port: number }> {
  const port = await findFreePort();
  const { host, port: serverPort, user, password, database: name } = database.target;
  const path = join(folder.path, `${mode}.ini`);
  await writeFile(
    path,
    [
      "[databases]",
      `${name} = host=${host} port=${String(serverPort)} user=${user} password=${password}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${String(port)}`,
      "unix_socket_dir =",
      "auth_type = any",
      `pool_mode = ${mode}`,
      "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,extra_float_digits",
    ].join("\n"),
    { mode: 0o644 },
  );
  // It refuses to be root, and must be able to enter the folder of the server's socket.
  const { uid, gid } = await stat(host);
  const asUser =
    process.getuid?.() === 0
      ? ["setpriv", `--reuid=${String(uid)}`, `--regid=${String(gid)}`, "--clear-groups"]
      : [];
  const pooler = await startLogged({
    command: [...asUser, "pgbouncer", path],
    place: THIS_MACHINE,
    logPath: join(folder.path, `${mode}.log`),
  });
  await pollUntil("the pooler listens", () => isListening(port));
  return { pooler, port };
}

describe("keepsSessions", () => {
  it("is true of the server itself", async () => {
    expect(await keepsSessions(database.target)).toBe(true);
  });

  it.for([
    ["transaction", false],
    ["session", true],
  ] as const)("tells of a pooler in %s mode: %s", async ([mode, isKept], { skip }) => {
    skip(!hasProgram("pgbouncer"), "pgbouncer is not installed");
    const { pooler, port } = await startPooler(mode);
    try {
      expect(await keepsSessions({ ...database.target, host: "127.0.0.1", port })).toBe(isKept);
    } finally {
      await pooler.stop();
    }
  });
});
