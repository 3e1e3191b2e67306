import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
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

async function answers(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Starts the Valkey or Redis of this machine on loopback, in memory alone. Only where {@link VALKEY_MISSING} is undefined. */
export async function startValkeyServer(): Promise<ValkeyServer> {
  const port = await findFreePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn(
      program ?? "",
      ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      { stdio: "ignore" },
    );
    await pollUntil("Valkey listens", () => answers(port));
  }

  await start();
  return {
    url: `valkey://127.0.0.1:${String(port)}/0`,
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
