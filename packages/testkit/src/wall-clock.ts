import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";

/** Debian's package `faketime`: sets the wall clock of one process, and leaves its monotonic clock alone. */
const FAKETIME = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
].find((path) => existsSync(path));

/** The wall clock of processes that are started with `env`. */
export type WallClock = {
  env: Readonly<Record<string, string>>;
  /** Sets it so far off the real one. */
  jump(seconds: number): Promise<void>;
};

/** Why clocks cannot be moved on this machine; undefined when they can. */
export const WALL_CLOCK_OBSTACLE =
  FAKETIME === undefined ? "libfaketime is not installed: apt-get install faketime" : undefined;

/**
 * @param path - Of a file for its offset, in a folder that exists.
 * @throws where there is a {@link WALL_CLOCK_OBSTACLE}.
 */
export async function createWallClock(path: string): Promise<WallClock> {
  if (FAKETIME === undefined) {
    throw new Error(WALL_CLOCK_OBSTACLE);
  }
  const jump = async (seconds: number): Promise<void> => {
    // In one step: a process reads it at each look at the clock.
    await writeFile(`${path}.new`, `${seconds < 0 ? "-" : "+"}${String(Math.abs(seconds))}`);
    await rename(`${path}.new`, path);
  };
  await jump(0);
  return {
    env: {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    jump,
  };
}
