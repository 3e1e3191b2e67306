import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "./find-free-port.ts";
import { findLoopHolds } from "./find-loop-holds.ts";
import { pollUntil } from "./poll-until.ts";
import { type Ended, type RunningProgram, startProgram } from "./program.ts";

export type RunningServer = RunningProgram & { port: number; gatewayPort: number };

/**
 * An installation in a temporary folder; `await using` ends what was started there and removes it, and fails when a server
 * held its event loop for too long.
 */
export type ProductHome = AsyncDisposable & {
  dataFolder: string;
  /** The variables with which a program reaches this installation. */
  environment: Readonly<Record<string, string>>;
  /** Starts a program of the checkout on this installation. */
  run(script: string, ...args: string[]): RunningProgram;
  /** Runs `turnpike` to its end. */
  turnpike(...args: string[]): Promise<Ended>;
  /** Starts the server and waits until it is ready; always on the same two ports. */
  startServer(): Promise<RunningServer>;
  /** Of the embedded database that runs now. */
  readDatabasePid(): Promise<number>;
};

/** A busy machine is slow, not broken: these only end what hangs. */
const READY_DEADLINE_MS = 240_000;
const STOP_DEADLINE_MS = 120_000;

/**
 * Makes an installation of the real product for a test: its own data folder, its own ports.
 *
 * @param env - Further environment variables of everything that runs on it.
 */
export async function makeProductHome(env: Record<string, string> = {}): Promise<ProductHome> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-product-"));
  // As root, the database runs as a user who must be able to pass.
  await chmod(folder, 0o711);
  const dataFolder = join(folder, "data");
  const ports = { port: await findFreePort(), gatewayPort: await findFreePort() };
  const environment = {
    TURNPIKE_DATA_DIR: dataFolder,
    PORT: String(ports.port),
    GATEWAY_PORT: String(ports.gatewayPort),
    ...env,
  };
  const running = new Set<RunningProgram>();
  const servers: RunningProgram[] = [];

  function run(script: string, ...args: string[]): RunningProgram {
    const program = startProgram({
      script,
      args,
      env: { TURNPIKE_LOG_LEVEL: "warn", ...environment },
    });
    running.add(program);
    const forget = () => running.delete(program);
    program.ended.then(forget, forget);
    return program;
  }

  async function readDatabasePid(): Promise<number> {
    const text = await readFile(join(dataFolder, "postgres/postmaster.pid"), "utf8");
    return Number.parseInt(text, 10);
  }

  async function startServer(): Promise<RunningServer> {
    const server = run("apps/server/src/main.ts");
    servers.push(server);
    const url = `http://127.0.0.1:${String(ports.port)}/health/ready`;
    const isReady = pollUntil(
      "the server is ready",
      async () => {
        const reply = await fetch(url).catch(() => undefined);
        await reply?.body?.cancel();
        return reply?.status === 200;
      },
      READY_DEADLINE_MS,
    );
    const end = server.ended.then(({ code }) => {
      throw new Error(`The server ended with ${String(code)}:\n${server.output()}`);
    });
    end.catch(() => undefined);
    await Promise.race([isReady, end]);
    return { ...server, ...ports };
  }

  async function dispose(): Promise<void> {
    for (const program of running) {
      program.kill("SIGTERM");
      const deadline = setTimeout(() => program.kill("SIGKILL"), STOP_DEADLINE_MS);
      await program.ended;
      clearTimeout(deadline);
    }
    await stopOrphan(await readDatabasePid().catch(() => undefined));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    const holds = servers.flatMap((server) => findLoopHolds(server.output()));
    if (holds.length > 0) {
      throw new Error(`Requests kept all others waiting:\n${holds.join("\n")}`);
    }
  }

  return {
    dataFolder,
    environment,
    run,
    turnpike: async (...args) => await run("apps/server/src/cli/main.ts", ...args).ended,
    startServer,
    readDatabasePid,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Ends a database whose server was killed: nothing else does. */
async function stopOrphan(pid: number | undefined): Promise<void> {
  if (pid === undefined || !isAlive(pid)) {
    return;
  }
  process.kill(pid, "SIGCONT");
  process.kill(pid, "SIGQUIT");
  await pollUntil("the orphaned database is gone", () => !isAlive(pid), STOP_DEADLINE_MS);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
