import { spawn, spawnSync } from "node:child_process";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { keptEnvironment } from "../program.ts";
import type { Place } from "./place.ts";

/** A program that runs for long: what it says goes into a file. */
export type LoggedProgram = {
  pid: number;
  logPath: string;
  hasEnded(): boolean;
  /** How it ended, in words: `exit code 1`, `signal SIGKILL`. Never rejects. */
  ended: Promise<string>;
  /** Signals it and answers how it ended; by force after a minute. */
  stop(signal?: NodeJS.Signals): Promise<string>;
};

/** A node drains calls and commits what it counted. */
const STOP_LIMIT_MS = 60_000;

/** True when this machine has a program of that name. */
export function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", 'command -v "$0"', name], { stdio: "ignore" }).status === 0;
}

/**
 * Starts a program in a session of its own, so that Ctrl+C reaches the caller alone, who ends all in order.
 *
 * @param input.env - All that it gets beside what every program needs to start.
 */
export async function startLogged(input: {
  command: readonly string[];
  place: Place;
  logPath: string;
  env?: Readonly<Record<string, string>>;
}): Promise<LoggedProgram> {
  const log = await open(input.logPath, "a", 0o600);
  try {
    const [program = "", ...args] = [...input.place.within, ...input.command];
    const child = spawn(program, args, {
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      env: { ...keptEnvironment(), ...input.env },
    });
    let hasEnded = false;
    const ended = new Promise<string>((settle) => {
      child.once("error", (error) => settle(error.message));
      child.once("exit", (code, signal) => settle(signal ?? `exit code ${String(code)}`));
    }).finally(() => {
      hasEnded = true;
    });
    const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<string> => {
      child.kill(signal);
      const waiting = new AbortController();
      const limit = delay(STOP_LIMIT_MS, undefined, { signal: waiting.signal }).then(
        () => child.kill("SIGKILL"),
        () => undefined,
      );
      const how = await ended;
      waiting.abort();
      await limit;
      return how;
    };
    return { pid: child.pid ?? 0, logPath: input.logPath, hasEnded: () => hasEnded, ended, stop };
  } finally {
    await log.close();
  }
}
