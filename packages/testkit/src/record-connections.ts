import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type Attempt = { how: string; host: string };

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+|path:.*)$/;

/**
 * Has a program and all its threads write down what they connect to.
 *
 * @param file - Where; it does not exist yet.
 */
export function recordConnections(file: string): {
  /** For the program. */
  environment: Readonly<Record<string, string>>;
  /** So far, in their order. */
  readAttempts(): Promise<Attempt[]>;
} {
  const recorder = pathToFileURL(join(import.meta.dirname, "connection-recorder.ts")).href;
  return {
    environment: { NODE_OPTIONS: `--import=${recorder}`, TURNPIKE_TEST_CONNECTIONS: file },
    async readAttempts() {
      const lines = (await readFile(file, "utf8")).trim().split("\n");
      return lines.map((line) => JSON.parse(line) as Attempt);
    },
  };
}

/** True for an attempt that does not leave this machine. */
export function isLoopback({ host }: Attempt): boolean {
  return LOOPBACK.test(host);
}
