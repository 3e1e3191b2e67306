import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect } from "@turnpike/db/client";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attachEmbeddedPostgres } from "../apps/server/src/platform/embedded-postgres.ts";
import { BOOTSTRAP_USER } from "../apps/server/src/platform/postgres-cluster.ts";
import { readmeCommands } from "../tools/readme-commands.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const START_DEADLINE_MS = 600_000;
const COMMAND_DEADLINE_MS = 900_000;

type Running = { child: ChildProcess; output(): string };

let folder: TempFolder;
let environment: Record<string, string>;
let first: Running;
let key = "";

/** Starts a command of the page in a process group of its own, as a terminal would. */
function startCommand(command: string, more: Record<string, string> = {}): Running {
  const child = spawn("sh", ["-c", command], {
    cwd: CHECKOUT,
    env: { ...process.env, ...environment, ...more },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, output: () => output };
}

async function stopCommand({ child }: Running): Promise<void> {
  if (child.exitCode === null && child.pid !== undefined) {
    const closed = once(child, "close");
    process.kill(-child.pid, "SIGINT");
    await closed;
  }
}

async function run(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)("sh", ["-c", command], {
    cwd: CHECKOUT,
    env: { ...process.env, ...environment, KEY: key },
    timeout: COMMAND_DEADLINE_MS,
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

async function waitUntilReady(running: Running, port: string): Promise<void> {
  await pollUntil(
    `readiness; it printed ${running.output()}`,
    async () => {
      if (running.child.exitCode !== null) {
        throw new Error(`It ended: ${running.output()}`);
      }
      const reply = await fetch(`http://localhost:${port}/health/ready`).catch(() => undefined);
      return reply?.status === 200;
    },
    START_DEADLINE_MS,
  );
}

/** It answers before what it prints has come through the pipes of npm. */
async function waitForOutput(running: Running, pattern: RegExp): Promise<void> {
  await pollUntil(`${String(pattern)} in ${running.output()}`, () =>
    pattern.test(running.output()),
  );
}

/** A database beside the one that the first instance uses, in the same server. */
async function createSecondDatabase(): Promise<string> {
  const connection = await attachEmbeddedPostgres({
    folder: environment["TURNPIKE_DATA_DIR"] ?? "",
  });
  if (connection === undefined) {
    throw new Error("The embedded database does not run.");
  }
  const admin = { ...connection, user: BOOTSTRAP_USER, database: "postgres" };
  const sql = connect(admin, {
    connectionsMax: 1,
    applicationName: "readme-test",
    statementTimeoutMs: 0,
  });
  await sql`create database readme owner ${sql(connection.user)}`;
  await sql.end();
  const { user, password, port, host } = connection;
  return `postgres://${user}:${password}@localhost:${String(port)}/readme?host=${encodeURIComponent(host)}`;
}

/** Sends what the page's curl sends: curl itself may be missing where the tests run. */
async function sendShownCall(command: string): Promise<void> {
  const [, header, url] = /^curl -H "Authorization: ([^"]+)" "([^"]+)"$/.exec(command) ?? [];
  const address = (url ?? "").replace(
    "localhost:3001",
    `localhost:${environment["GATEWAY_PORT"] ?? ""}`,
  );
  const reply = await fetch(address, {
    headers: { authorization: (header ?? "").replace("$KEY", key) },
  });
  expect(reply.status).toBe(200);
  expect(JSON.stringify(await reply.json())).toContain("Paris");
}

/** Two hundred lines, of which every tenth is a 404. */
async function writeAccessLog(): Promise<string> {
  const log = join(folder.path, "access.log");
  const lines = Array.from(
    { length: 200 },
    (_, index) =>
      `192.0.2.${String(index % 250)} - - [17/May/2015:10:05:${String(index % 60).padStart(2, "0")} +0000] "GET /page/${String(index)} HTTP/1.1" ${index % 10 === 0 ? "404" : "200"} ${String(index)} "-" "-"`,
  );
  await writeFile(log, `${lines.join("\n")}\n`);
  return log;
}

async function runImport(command: string): Promise<void> {
  const log = await writeAccessLog();
  expect(await run(command.replace("access.log", log))).toMatch(/Imported\s+200\b/);
  expect(await run(command.replace("access.log", log))).toMatch(/Imported before\s+200\b/);
}

async function runReplay(command: string): Promise<void> {
  const log = await writeAccessLog();
  expect(await run(command.replace("access.log", log))).toMatch(/\b180\b[\s\S]*\b20\b/);
}

async function runOnOtherDatabase(command: string): Promise<void> {
  const [port, gatewayPort] = [String(await findFreePort()), String(await findFreePort())];
  const url = await createSecondDatabase();
  const other = startCommand(command.replace(/DATABASE_URL=\S+/, `DATABASE_URL='${url}'`), {
    PORT: port,
    GATEWAY_PORT: gatewayPort,
    TURNPIKE_DATA_DIR: join(folder.path, "other-data"),
  });
  await waitUntilReady(other, port);
  await waitForOutput(other, /database by DATABASE_URL/);
  await stopCommand(other);
}

/** Each command of the page and what running it must show, in the order of the page. */
const COMMANDS: Record<string, (command: string) => Promise<void>> = {
  "npm start": async () => {
    await waitUntilReady(first, environment["PORT"] ?? "");
    await waitForOutput(first, /Setup {4}\S+#setup=\S+ \(makes you the operator, once\)/);
  },
  'npm run turnpike -- tenants create --name "Acme Maps"': async (command) => {
    expect(await run(command)).toContain("acme-maps");
  },
  'KEY=$(npm --silent run turnpike -- keys create --tenant acme-maps --name "First key" --quiet)':
    async (command) => {
      key = await run(`${command}; printf %s "$KEY"`);
      expect(key).toMatch(/^tp_live_[0-9A-Za-z]{38}$/);
    },
  'curl -H "Authorization: Bearer $KEY" "http://localhost:3001/v1/cities?query=par"': sendShownCall,
  "npm run turnpike -- usage --tenant acme-maps --by status": async (command) => {
    await pollUntil("the call in the ledger", async () => /\b200\s+1\b/.test(await run(command)));
  },
  "npm run turnpike -- limits --tenant acme-maps": async (command) => {
    expect(await run(command)).toMatch(/requests[\s\S]*50,?000/);
  },
  "npm run turnpike -- reconcile": async (command) => {
    expect(await run(command)).toMatch(/drift\D*0/i);
  },
  "npm run turnpike -- demo": async (command) => {
    await run(command);
    expect(await run("npm run turnpike -- reconcile")).toMatch(/drift\D*0/i);
  },
  "npm run turnpike -- demo --remove --yes": async (command) => {
    await run(command);
    const tenants = await run("npm --silent run turnpike -- tenants list");
    expect(tenants).toContain("acme-maps");
    expect(tenants.trim().split("\n")).toHaveLength(2);
    expect(await run("npm run turnpike -- reconcile")).toMatch(/drift\D*0/i);
  },
  "npm run turnpike -- import --tenant acme-maps access.log": runImport,
  "npm run replay -- access.log": runReplay,
  "DATABASE_URL=postgres://user:password@127.0.0.1:5432/turnpike npm start": runOnOtherDatabase,
  // What runs this test.
  "npm test": () => Promise.resolve(),
};

beforeAll(async () => {
  folder = await makeTempFolder();
  // As root the database runs as another user, who must pass through.
  await chmod(folder.path, 0o711);
  environment = {
    PORT: String(await findFreePort()),
    GATEWAY_PORT: String(await findFreePort()),
    TURNPIKE_DATA_DIR: join(folder.path, "data"),
  };
  first = startCommand("npm start");
});

afterAll(async () => {
  await stopCommand(first);
  await folder[Symbol.asyncDispose]();
});

describe("README.md", () => {
  it("shows no command that is not run here, and nothing is run that it does not show", async () => {
    const page = await readFile(join(CHECKOUT, "README.md"), "utf8");
    expect(readmeCommands(page)).toEqual(Object.keys(COMMANDS));
  });

  for (const [command, check] of Object.entries(COMMANDS)) {
    it(`keeps its word: ${command}`, { timeout: COMMAND_DEADLINE_MS }, () => check(command));
  }
});
