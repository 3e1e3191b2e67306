import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { findFreePort } from "./find-free-port.ts";
import { ensurePeer, PeerUnavailableError, peerFolder } from "./install-peer.ts";
import { keptEnvironment } from "./program.ts";
import { makeTempFolder } from "./temp-folder.ts";

export type ClickHouseServer = AsyncDisposable & {
  /** Where it is, as the product's settings. */
  settings: { url: string; database: string; user: string; password: string; timeoutMs: number };
  /** Kills it; what was inserted stays. */
  kill(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
};

const START_TIMEOUT_MS = 60_000;

async function untilListening(child: ChildProcess): Promise<void> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const [told]: unknown[] = await Promise.race([
    once(child, "message", { signal }),
    once(child, "exit", { signal }),
  ]);
  if (told !== "listening") {
    throw new PeerUnavailableError("chDB does not start on this machine.");
  }
}

/**
 * Starts a ClickHouse of its own: chDB, in a process that speaks the HTTP interface. Installs it the first time.
 *
 * @throws {PeerUnavailableError} where it cannot be installed or started: there is none for Windows, for one.
 */
export async function startClickHouse(
  note: (text: string) => void = () => undefined,
): Promise<ClickHouseServer> {
  await ensurePeer("chdb", note);
  const folder = await makeTempFolder();
  const port = await findFreePort();
  const password = randomBytes(12).toString("hex");
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = fork(
      join(peerFolder("chdb"), "server.mjs"),
      [join(folder.path, "data"), String(port), "turnpike", password],
      { stdio: ["ignore", "ignore", "inherit", "ipc"], env: keptEnvironment(), execArgv: [] },
    );
    await untilListening(child);
  }

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running !== undefined && running.exitCode === null && running.signalCode === null) {
      const ended = once(running, "exit");
      running.kill("SIGKILL");
      await ended;
    }
  }

  try {
    await start();
  } catch (error) {
    await kill();
    await folder[Symbol.asyncDispose]();
    throw error;
  }
  return {
    settings: {
      url: `http://127.0.0.1:${String(port)}`,
      database: "default",
      user: "turnpike",
      password,
      timeoutMs: 30_000,
    },
    start,
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}
