import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "./test-database.ts";

const MAIN = fileURLToPath(new URL("../../../apps/server/src/main.ts", import.meta.url));

export type ProductEnding = { code: number | null; stdout: string; stderr: string };

export type ProductAddresses = { console: string; gateway: string };

/** The real product in a process of its own. */
export type ProductProcess = {
  /** Resolves once both listeners listen; rejects with what it printed when it ends before. */
  ready: Promise<ProductAddresses>;
  ended: Promise<ProductEnding>;
  /** What it has printed on standard output so far. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
};

/** The address of a test database, for `DATABASE_URL`. */
export function databaseUrlOf(database: TestDatabase): string {
  const { host, port, user, password, database: name } = database.target;
  return `postgres://${user}:${password}@localhost:${String(port)}/${name}?host=${encodeURIComponent(host)}`;
}

/**
 * Starts the product on free ports.
 *
 * @param input.cwd - Where it looks for turnpike.yaml.
 * @param input.env - All that it gets beside PATH; DATABASE_URL and TURNPIKE_DATA_DIR belong in it.
 */
export function startProduct(input: { cwd: string; env: Record<string, string> }): ProductProcess {
  const child = spawn(process.execPath, [MAIN], {
    cwd: input.cwd,
    env: { PATH: process.env["PATH"], PORT: "0", GATEWAY_PORT: "0", ...input.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const ready = Promise.withResolvers<ProductAddresses>();
  ready.promise.catch(() => undefined);
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    const [, console, gateway] = /Console +(\S+)[\s\S]*Gateway +(\S+)/.exec(stdout) ?? [];
    if (console !== undefined && gateway !== undefined) {
      ready.resolve({ console, gateway });
    }
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, "close").then(([code]) => {
    ready.reject(new Error(`The product ended: ${stderr}\n${stdout}`));
    return { code: typeof code === "number" ? code : null, stdout, stderr };
  });
  return {
    ready: ready.promise,
    ended,
    output: () => stdout,
    kill: (signal) => {
      child.kill(signal);
    },
  };
}
