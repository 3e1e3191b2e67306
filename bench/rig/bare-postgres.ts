import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProductHome } from "./product.ts";

/** How the product starts its database, read from the running server, so that the same can be done without the product. */
export type BarePostgres = {
  command: [string, ...string[]];
  environment: Record<string, string>;
  pidFile: string;
  uid: number;
  gid: number;
};

const READY_TIMEOUT_MS = 30_000;
/** Line of postmaster.pid in which PostgreSQL says `ready`. */
const STATUS_LINE = 7;

function readZeroSeparated(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\0")
    .filter((part) => part !== "");
}

/** @returns `undefined` where /proc does not tell, or when the product has no database of its own. */
export function describePostgres(home: ProductHome): BarePostgres | undefined {
  const pidFile = join(home.folder, "data/postgres/postmaster.pid");
  try {
    const pid = readFileSync(pidFile, "utf8").split("\n")[0] ?? "";
    const [program, ...args] = readZeroSeparated(`/proc/${pid}/cmdline`);
    const { uid, gid } = statSync(`/proc/${pid}`);
    const environment = Object.fromEntries(
      readZeroSeparated(`/proc/${pid}/environ`).map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    );
    return program === undefined
      ? undefined
      : { command: [program, ...args], environment, pidFile, uid, gid };
  } catch {
    return undefined;
  }
}

function isReady(pidFile: string, pid: number): boolean {
  try {
    const lines = readFileSync(pidFile, "utf8").split("\n");
    return lines[0] === String(pid) && lines[STATUS_LINE]?.trim() === "ready";
  } catch {
    return false;
  }
}

/** Starts the database alone, waits until it says that it is ready, stops it again. @returns Seconds until it was ready. */
export async function timePostgresStart(postgres: BarePostgres): Promise<number> {
  const { uid, gid, environment, pidFile } = postgres;
  const [program, ...args] = postgres.command;
  const startedAtMs = performance.now();
  const child = spawn(program, args, {
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
    cwd: "/",
    env: environment,
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  try {
    while (!isReady(pidFile, child.pid ?? 0)) {
      if (child.exitCode !== null || performance.now() - startedAtMs > READY_TIMEOUT_MS) {
        throw new Error("PostgreSQL alone did not get ready.");
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return (performance.now() - startedAtMs) / 1000;
  } finally {
    // Fast shutdown: sessions are cut, data is written.
    child.kill("SIGINT");
    await exited;
  }
}
