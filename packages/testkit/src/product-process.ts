import { pollUntil } from "./poll-until.ts";
import { type RunningProgram, startProgram } from "./program.ts";
import type { TestDatabase } from "./test-database.ts";

export type ProductAddresses = { console: string; gateway: string };

/** The real product in a process of its own. */
export type ProductProcess = RunningProgram & {
  /** Resolves once both listeners listen; rejects with what it printed when it ends before. */
  ready: Promise<ProductAddresses>;
};

/** A new embedded database takes its time on a busy machine; this only ends what hangs. */
const READY_DEADLINE_MS = 240_000;

/** What processes on one database must have in common: without it each generates its own, and the second one does not start. */
export const SHARED_SECRETS = {
  TURNPIKE_IDENTITY_SECRET: "the identity secret that all nodes share",
  TURNPIKE_SIGNING_SECRET: "the signing secret that all nodes share",
  TURNPIKE_WEBHOOK_SECRET: "the webhook secret that all nodes share",
} as const;

/** The address of a test database, for `DATABASE_URL`. */
export function databaseUrlOf(database: TestDatabase): string {
  const { host, port, user, password, database: name } = database.target;
  return `postgres://${user}:${password}@localhost:${String(port)}/${name}?host=${encodeURIComponent(host)}`;
}

function readAddresses(output: string): ProductAddresses | undefined {
  const [, console, gateway] = /Console +(\S+)[\s\S]*Gateway +(\S+)/.exec(output) ?? [];
  return console === undefined || gateway === undefined ? undefined : { console, gateway };
}

/**
 * Starts the product on free ports and on a database of the test's.
 *
 * @param input.cwd - Where it looks for turnpike.yaml.
 * @param input.env - DATABASE_URL and TURNPIKE_DATA_DIR belong in it.
 */
export function startProduct(input: {
  cwd: string;
  env: Record<string, string>;
  openFilesMax?: number | undefined;
}): ProductProcess {
  const program = startProgram({
    script: "apps/server/src/main.ts",
    cwd: input.cwd,
    env: { PORT: "0", GATEWAY_PORT: "0", ...input.env },
    openFilesMax: input.openFilesMax,
  });
  const hasEnded = program.ended.then(({ stderr }) => {
    throw new Error(`The product ended: ${stderr}`);
  });
  const isReady = pollUntil("the banner", () => readAddresses(program.output()), READY_DEADLINE_MS);
  const ready = Promise.race([isReady, hasEnded]);
  for (const promise of [isReady, hasEnded, ready]) {
    promise.catch(() => undefined);
  }
  return { ...program, ready };
}
