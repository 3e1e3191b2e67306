import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { type Place, THIS_MACHINE } from "./cluster/place.ts";
import { findFreePort } from "./find-free-port.ts";
import { pollUntil } from "./poll-until.ts";

export type ValkeyServer = {
  url: string;
  port: number;
  /** Kills it, and all that it held is lost. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
};

const PROGRAMS = ["valkey-server", "redis-server"];

function findProgram(): string | undefined {
  return PROGRAMS.find((name) => spawnSync(name, ["--version"]).status === 0);
}

const program = findProgram();

/** Why tests that need a Valkey or Redis are skipped, or undefined where one is installed. */
export const VALKEY_MISSING =
  program === undefined ? `neither ${PROGRAMS.join(" nor ")} is installed` : undefined;

async function answers(port: number, host: string): Promise<boolean> {
  const socket = connect({ port, host });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Starts the Valkey or Redis of this machine, in memory alone. Only where {@link VALKEY_MISSING} is undefined.
 *
 * @param at - Left out: a free port of loopback.
 */
export async function startValkeyServer(at?: Place & { port: number }): Promise<ValkeyServer> {
  const { host, within } = at ?? THIS_MACHINE;
  const port = at?.port ?? (await findFreePort());
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const [command = "", ...args] = [
      ...[...within, program ?? "", "--port", String(port), "--bind", host],
      ...["--save", "", "--appendonly", "no", "--protected-mode", "no"],
    ];
    // In a group of its own: Ctrl+C is for the caller, who ends it.
    child = spawn(command, args, { stdio: "ignore", detached: true });
    await pollUntil("Valkey listens", () => answers(port, host));
  }

  await start();
  return {
    url: `valkey://${host}:${String(port)}/0`,
    port,
    start,
    async kill() {
      const running = child;
      child = undefined;
      if (running !== undefined) {
        const ended = once(running, "exit");
        running.kill("SIGKILL");
        await ended;
      }
    },
  };
}
