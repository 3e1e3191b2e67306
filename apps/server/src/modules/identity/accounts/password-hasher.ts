import { Worker } from "node:worker_threads";
import { AppError } from "@turnpike/domain/errors/app-error";
import { isOutdatedHash, PASSWORD_COST, type PasswordCost, SALT_BYTES } from "./password-hash.ts";
import type { PasswordAnswer, PasswordTask } from "./password-thread.ts";

export interface PasswordHasher {
  /** @returns A PHC string. @throws {AppError} `OVERLOADED` when too many calls wait. */
  hash(password: string): Promise<string>;
  /**
   * Compares with a stored hash, or if there is none with one that matches no password, so that both take equally long.
   *
   * @throws {AppError} `OVERLOADED` when too many calls wait.
   */
  verify(password: string, phc: string | undefined): Promise<boolean>;
  /** True if a stored hash should be renewed. */
  isOutdated(phc: string): boolean;
  /** Hashes computed so far, and those waiting or in progress. */
  readonly load: { done: number; waiting: number };
  stop(): Promise<void>;
}

/** At about 40 ms each, the last one waits a second and a half. */
const WAITING_MAX = 32;

type Waiting = { resolve(result: string | boolean): void; reject(error: unknown): void };
type TaskInput =
  | Omit<Extract<PasswordTask, { kind: "hash" }>, "id">
  | Omit<Extract<PasswordTask, { kind: "verify" }>, "id">;

function overloaded(): AppError {
  return new AppError({
    code: "OVERLOADED",
    publicMessage: "Too many people are signing in right now. Try again in a few seconds.",
    headers: { "retry-after": "2" },
  });
}

/**
 * Starts the single thread that hashes passwords. Each hash takes a core for tens of milliseconds, so a flood of sign-ins must leave
 * the other cores to the calls of the gateway.
 */
export async function startPasswordHasher(
  deps: { randomBytes(count: number): Uint8Array },
  options: { cost?: PasswordCost; waitingMax?: number } = {},
): Promise<PasswordHasher> {
  const cost = options.cost ?? PASSWORD_COST;
  const waitingMax = options.waitingMax ?? WAITING_MAX;
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let isStopped = false;
  let asked = 0;
  let done = 0;

  function failAll(error: unknown): void {
    worker = undefined;
    for (const task of waiting.values()) {
      task.reject(error);
    }
    waiting.clear();
  }

  function startThread(): Worker {
    const thread = new Worker(new URL("./password-thread.ts", import.meta.url));
    thread.on("message", ({ id, result }: PasswordAnswer) => {
      done += 1;
      waiting.get(id)?.resolve(result);
      waiting.delete(id);
    });
    // The next task starts another thread.
    thread.on("error", failAll);
    thread.on("exit", () => {
      if (worker === thread) {
        failAll(new Error("The password thread has ended."));
      }
    });
    thread.unref();
    return thread;
  }

  function run(task: TaskInput): Promise<string | boolean> {
    if (waiting.size >= waitingMax || isStopped) {
      return Promise.reject(overloaded());
    }
    worker ??= startThread();
    const thread = worker;
    asked += 1;
    const id = asked;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      thread.postMessage({ ...task, id } satisfies PasswordTask);
    });
  }

  async function hash(password: string): Promise<string> {
    const salt = deps.randomBytes(SALT_BYTES);
    return String(await run({ kind: "hash", password, salt, cost }));
  }

  const matchesNothing = await hash(Buffer.from(deps.randomBytes(SALT_BYTES)).toString("base64"));
  return {
    hash,
    verify: async (password, phc) => {
      const isRight = await run({ kind: "verify", password, phc: phc ?? matchesNothing });
      return isRight === true && phc !== undefined;
    },
    isOutdated: (phc) => isOutdatedHash(phc, cost),
    get load() {
      return { done, waiting: waiting.size };
    },
    stop: async () => {
      isStopped = true;
      const thread = worker;
      failAll(overloaded());
      await thread?.terminate();
    },
  };
}
