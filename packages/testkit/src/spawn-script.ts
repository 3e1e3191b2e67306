import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { keptEnvironment } from "./program.ts";

/** A script in a process of its own, for what a process does when it is killed, or as another user. */
export type SpawnedScript = {
  child: ChildProcess;
  /** The next line on its standard output; rejects when it ends before, with what it wrote on standard error. */
  nextLine(): Promise<string>;
  /** Sends SIGKILL and waits until the process is gone. */
  kill(): Promise<void>;
  /** Waits for its end and gives the exit code, null after a signal. */
  exited: Promise<number | null>;
};

/**
 * Runs an ES module given as text; it may import TypeScript by absolute path.
 *
 * @param code - What the script does; its arguments start at `process.argv[1]`.
 */
export function spawnScript(code: string, ...args: string[]): SpawnedScript {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code, "--", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: keptEnvironment(),
  });
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode) => resolve(exitCode));
  });
  return {
    child,
    exited,
    async nextLine() {
      const next = await lines.next();
      if (next.done === true) {
        throw new Error(`The script ended early: ${Buffer.concat(errors).toString("utf8")}`);
      }
      return next.value;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
