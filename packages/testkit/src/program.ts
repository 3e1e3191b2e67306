import { spawn } from "node:child_process";
import { join, resolve } from "node:path";

/** What a program said and how it ended. */
export type Ended = { code: number | null; stdout: string; stderr: string };

export type RunningProgram = {
  pid: number;
  /** Standard output and error so far, as they came. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Stops reading what it says: all that it writes from then on fails. */
  closeOutput(): void;
  ended: Promise<Ended>;
};

const CHECKOUT = resolve(import.meta.dirname, "../../..");

/** Of a developer's environment, what a program needs to start, and to start fast. */
const KEPT_VARIABLES = ["PATH", "HOME", "NODE_COMPILE_CACHE"];

/** The environment of a program that gets nothing else: what vitest sets for its workers is not for it. */
export function keptEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(KEPT_VARIABLES.map((name) => [name, process.env[name]]));
}

/** As `npm start` and `npm run turnpike` start theirs. */
const NODE_FLAGS = ["--disable-proto=delete"];

/**
 * Starts a TypeScript program of the checkout in a process of its own.
 *
 * @param input.script - Relative to the checkout.
 * @param input.cwd - The checkout when left out.
 * @param input.env - All that it gets beside the {@link KEPT_VARIABLES}: a developer's own instance must be out of reach.
 * @param input.openFilesMax - How many files and connections the system lets it have.
 */
export function startProgram(input: {
  script: string;
  args?: readonly string[];
  cwd?: string;
  env: Readonly<Record<string, string>>;
  openFilesMax?: number | undefined;
}): RunningProgram {
  const program = [...NODE_FLAGS, join(CHECKOUT, input.script), ...(input.args ?? [])];
  const command = [process.execPath, ...program];
  const [file = "", ...args] =
    input.openFilesMax === undefined
      ? command
      : ["sh", "-c", 'ulimit -n "$0" && exec "$@"', String(input.openFilesMax), ...command];
  const child = spawn(file, args, {
    cwd: input.cwd ?? CHECKOUT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...keptEnvironment(), ...input.env },
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const all: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout.push(chunk);
    all.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr.push(chunk);
    all.push(chunk);
  });
  const toText = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString("utf8");
  return {
    pid: child.pid ?? 0,
    output: () => toText(all),
    kill: (signal) => void child.kill(signal),
    closeOutput: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    ended: new Promise((settle, reject) => {
      child.once("error", reject);
      child.once("close", (code) =>
        settle({ code, stdout: toText(stdout), stderr: toText(stderr) }),
      );
    }),
  };
}
