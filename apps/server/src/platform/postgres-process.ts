import { execFile, spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { postgresEnvironment } from "./postgres-cluster.ts";
import type { UnixUser } from "./unix-user.ts";
import { yieldToCalls } from "./yield-to-calls.ts";

const run = promisify(execFile);

const POLL_INTERVAL_MS = 10;
const ADOPTED_POLL_INTERVAL_MS = 250;
const TOOL_TIMEOUT_MS = 5_000;
/** Larger than any pid that a kernel hands out. */
const IMPOSSIBLE_PID = "2147483647";

/** What a server writes about itself into its folder. */
export type PostmasterFile = {
  pid: number;
  port: number;
  socketFolder: string;
  status: string;
};

/** A server process, ours or one that an earlier process left behind. */
export type PostgresProcess = {
  pid: number;
  adopted: boolean;
  /** Resolves, with words for a log, once the process is gone. Never rejects. */
  exited: Promise<string>;
};

/** Reads `postmaster.pid`; undefined when there is none, or it is being written. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const [pid = "", , , port = "", socketFolder = "", , , status = ""] = text.split("\n");
  if (!/^\d+$/.test(pid) || Number(pid) <= 1) {
    return undefined;
  }
  return { pid: Number(pid), port: Number(port), socketFolder, status: status.trim() };
}

/** The command line of a server that we start; paths in it may have spaces. */
const SERVER_COMMAND = /^(?<program>.+?) -D (?<folder>.+?) -c /s;

/**
 * The command line of a process when it is the server of that folder, by any name, else undefined: the pid may be gone,
 * be a zombie, or belong by now to something else.
 */
export async function findServerCommand(pid: number, cluster: string): Promise<string | undefined> {
  const command = await readCommand(pid);
  const { program = "", folder = "" } = SERVER_COMMAND.exec(command)?.groups ?? {};
  const isServer = basename(program) === "postgres" && (await isSameFolder(folder, cluster));
  return isServer ? command : undefined;
}

async function isSameFolder(one: string, other: string): Promise<boolean> {
  return one === other || (await findRealPath(one)) === (await findRealPath(other));
}

async function findRealPath(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}

/** Empty when there is no such process, or nothing that it runs. */
async function readCommand(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replace(/\0$/, "").replaceAll("\0", " ");
  }
  // macOS has no /proc.
  const { stdout } = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)], {
    timeout: TOOL_TIMEOUT_MS,
  }).catch(() => ({ stdout: "" }));
  return stdout.trim();
}

/** True when the program on disk is still the one that the process runs: an update may have replaced it. */
export async function runsCurrentProgram(pid: number): Promise<boolean> {
  if (process.platform !== "linux") {
    return true;
  }
  const program = await readlink(`/proc/${pid}/exe`).catch(() => "");
  return program !== "" && !program.endsWith(" (deleted)");
}

/** Starts a server in a session of its own, so that Ctrl+C reaches Turnpike alone, which drains before it stops it. */
export async function spawnPostgres(input: {
  command: readonly string[];
  user: UnixUser | undefined;
  logPath: string;
}): Promise<PostgresProcess> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const log = await open(input.logPath, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    const [program = "", ...options] = input.command;
    // A log file rather than a pipe: the server must be able to write when this process is gone.
    const child = spawn(program, options, {
      ...input.user,
      cwd: "/",
      env: postgresEnvironment(),
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
    });
    const exited = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => {
        resolve(signal === null ? `exit code ${String(code)}` : `signal ${signal}`);
      });
    });
    yieldToCalls(child.pid);
    return { pid: child.pid ?? 0, adopted: false, exited };
  } finally {
    await log.close();
  }
}

/** Watches a server that is not our child. */
export function adoptPostgres(pid: number, cluster: string): PostgresProcess {
  const watch = async (): Promise<string> => {
    while ((await findServerCommand(pid, cluster)) !== undefined) {
      await delay(ADOPTED_POLL_INTERVAL_MS, undefined, { ref: false });
    }
    return "gone";
  };
  return { pid, adopted: true, exited: watch() };
}

/** Waits until the server says that it accepts connections. False when it ends, or the time does. */
export async function waitUntilReady(input: {
  server: PostgresProcess;
  cluster: string;
  deadlineMs: number;
}): Promise<boolean> {
  let hasExited = false;
  const exit = input.server.exited.then(() => {
    hasExited = true;
  });
  while (!hasExited && performance.now() < input.deadlineMs) {
    const file = await readPostmasterFile(input.cluster);
    if (file?.pid === input.server.pid && file.status === "ready") {
      return true;
    }
    await Promise.race([exit, delay(POLL_INTERVAL_MS)]);
  }
  return false;
}

const STOP_SIGNALS = ["SIGINT", "SIGQUIT", "SIGKILL"] as const;

/**
 * Ends a server: a fast shutdown (sessions are cut, everything is written), after the limit an immediate one (recovers at
 * the next start), at last by force.
 *
 * @param limitMs - For each of the steps.
 * @returns The signal that was enough.
 */
export async function stopPostgres(
  server: PostgresProcess,
  limitMs: number,
): Promise<(typeof STOP_SIGNALS)[number]> {
  for (const signal of STOP_SIGNALS) {
    sendSignal(server.pid, signal);
    const waiting = new AbortController();
    const isGone = await Promise.race([
      server.exited.then(() => true),
      delay(limitMs, false, { signal: waiting.signal }).catch(() => false),
    ]);
    waiting.abort();
    if (isGone) {
      return signal;
    }
  }
  throw new Error(`PostgreSQL (pid ${server.pid}) does not end.`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) {
      throw error;
    }
  }
}

/** True when any process has that pid, zombies included. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * PostgreSQL refuses to start while any process has the pid in `postmaster.pid`, even one that got the number later. The
 * file is kept, with a pid that cannot exist, because PostgreSQL finds in its next lines whether a backend of the dead
 * server is still writing.
 */
export async function clearReusedPid(cluster: string, user: UnixUser | undefined): Promise<void> {
  const path = join(cluster, "postmaster.pid");
  const [, ...rest] = (await readFile(path, "utf8")).split("\n");
  // Removed and made anew: the folder belongs to the database's user, so the name could be a link to anywhere.
  await rm(path);
  await writeFile(path, [IMPOSSIBLE_PID, ...rest].join("\n"), { mode: 0o600, flag: "wx" });
  if (user !== undefined) {
    await run("chown", ["-h", `${user.uid}:${user.gid}`, path], { timeout: TOOL_TIMEOUT_MS });
  }
}
