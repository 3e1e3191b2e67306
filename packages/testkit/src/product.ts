import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findFreePort } from "./find-free-port.ts";
import { pollUntil } from "./poll-until.ts";

/** What a program said and how it ended. */
export type Ended = { code: number | null; stdout: string; stderr: string };

export type RunningProgram = {
  pid: number;
  /** Standard output and error so far, as they came. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
};

export type RunningServer = RunningProgram & { port: number; gatewayPort: number };

/** An installation in a temporary folder; `await using` ends what was started there and removes it. */
export type ProductHome = AsyncDisposable & {
  dataFolder: string;
  /** Starts a program of the checkout on this installation. */
  run(script: string, ...args: string[]): RunningProgram;
  /** Runs `turnpike` to its end. */
  turnpike(...args: string[]): Promise<Ended>;
  /** Starts the server and waits until it is ready; always on the same two ports. */
  startServer(): Promise<RunningServer>;
  /** Of the embedded database that runs now. */
  readDatabasePid(): Promise<number>;
};

const CHECKOUT = resolve(import.meta.dirname, "../../..");
const READY_DEADLINE_MS = 90_000;
const STOP_DEADLINE_MS = 40_000;

function watch(child: ChildProcess): RunningProgram {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const all: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout.push(chunk);
    all.push(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr.push(chunk);
    all.push(chunk);
  });
  const toText = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString("utf8");
  return {
    pid: child.pid ?? 0,
    output: () => toText(all),
    kill: (signal) => void child.kill(signal),
    ended: new Promise((settle, reject) => {
      child.once("error", reject);
      child.once("close", (code) =>
        settle({ code, stdout: toText(stdout), stderr: toText(stderr) }),
      );
    }),
  };
}

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
  const running = new Set<RunningProgram>();

  function run(script: string, ...args: string[]): RunningProgram {
    const child = spawn(process.execPath, [join(CHECKOUT, script), ...args], {
      cwd: CHECKOUT,
      stdio: ["ignore", "pipe", "pipe"],
      // A developer's own instance must be out of reach.
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        TURNPIKE_DATA_DIR: dataFolder,
        TURNPIKE_LOG_LEVEL: "warn",
        PORT: String(ports.port),
        GATEWAY_PORT: String(ports.gatewayPort),
        ...env,
      },
    });
    const program = watch(child);
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
  }

  return {
    dataFolder,
    run,
    turnpike: async (...args) => await run("apps/server/src/cli/main.ts", ...args).ended,
    startServer,
    readDatabasePid,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Ends a database whose server was killed: nobody else will. */
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
