import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { keptEnvironment } from "./program.ts";

/**
 * Starts a program of the testkit that is asked over a channel. What it writes shows in the log of the tests, by a pipe of
 * its own: with the descriptors of the test itself, one that is left behind would hold up the end of the whole run.
 *
 * @param file - Beside this one. It calls {@link endWithParent}.
 */
export function forkProgram(file: string): ChildProcess {
  const child = fork(join(import.meta.dirname, file), {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: keptEnvironment(),
    execArgv: [],
  });
  child.stdout?.on("data", (chunk: Buffer) => process.stdout.write(chunk));
  child.stderr?.on("data", (chunk: Buffer) => process.stderr.write(chunk));
  return child;
}

/** Ends this program when the test that started it is gone, however that ended. */
export function endWithParent(): void {
  process.once("disconnect", () => process.exit());
}
