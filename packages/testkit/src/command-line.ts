import { Writable } from "node:stream";
import type { RemoteSurroundings } from "../../../apps/server/src/cli/cli.ts";
import { readCommandConfig } from "../../../apps/server/src/cli/read-command-config.ts";
import { runCli } from "../../../apps/server/src/cli/run-cli.ts";
import type { Ended } from "./program.ts";

/** Keeps what is written to it. */
class Capture extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

export type CommandLine = (...args: string[]) => Promise<Ended>;

/**
 * Makes a `turnpike` that runs in the process of the test, which starts no program for each command. What a process alone
 * shows, such as signals and standard input, needs `ProductHome.turnpike`.
 *
 * @param input.env - All of the environment that it has.
 * @param input.workingFolder - Where relative paths start, and where it looks for turnpike.yaml.
 */
export function createCommandLine(input: {
  env: Readonly<Record<string, string>>;
  workingFolder: string;
  /** Left out: other installations cannot be reached. */
  remote?: RemoteSurroundings;
}): CommandLine {
  return async (...args) => {
    const output = new Capture();
    const errors = new Capture();
    const { exitCode } = await runCli(args, {
      readConfig: () =>
        readCommandConfig(input.env, {
          isRoot: process.getuid?.() === 0,
          workingFolder: input.workingFolder,
        }),
      workingFolder: input.workingFolder,
      output,
      errors,
      isTerminal: false,
      ...(input.remote && { remote: input.remote }),
    });
    return { code: exitCode, stdout: output.text(), stderr: errors.text() };
  };
}
