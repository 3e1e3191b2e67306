import { Worker } from "node:worker_threads";
import { AppError } from "@turnpike/domain/errors/app-error";
import { createHashQueue, type HashSender } from "../attempts/hash-queue.ts";
import { isOutdatedHash, PASSWORD_COST, type PasswordCost, SALT_BYTES } from "./password-hash.ts";
import type { PasswordAnswer, PasswordTask } from "./password-thread.ts";

export interface PasswordHasher {
  /** @returns A PHC string. @throws {AppError} `OVERLOADED` when too many calls wait, in all or of this sender. */
  hash(password: string, sender: HashSender): Promise<string>;
  /**
   * Compares with a stored hash, or if there is none with one that matches no password, so that both take equally long.
   *
   * @throws {AppError} `OVERLOADED` when too many calls wait, in all or of this sender.
   */
  verify(password: string, phc: string | undefined, sender: HashSender): Promise<boolean>;
  /** True if a stored hash should be renewed. */
  isOutdated(phc: string): boolean;
  /** Hashes computed so far, and those waiting or in progress. */
  readonly load: { done: number; waiting: number };
  stop(): Promise<void>;
}

/** At about 40 ms each, the last one waits a second and a half. */
const WAITING_MAX = 32;
/** In addition, for browsers in which someone signed in to the account before. */
const KNOWN_WAITING_MAX = 8;

type Waiting = {
  task: PasswordTask;
  resolve(result: string | boolean): void;
  reject(error: unknown): void;
};
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
  const queue = createHashQueue<Waiting>({
    places: options.waitingMax ?? WAITING_MAX,
    knownPlaces: KNOWN_WAITING_MAX,
  });
  let worker: Worker | undefined;
  let current: Waiting | undefined;
  let isStopped = false;
  let asked = 0;
  let done = 0;

  function failAll(error: unknown): void {
    worker = undefined;
    current = undefined;
    for (const waiting of queue.clear()) {
      waiting.reject(error);
    }
  }

  /** Gives the thread its next task, one at a time: those that wait with it could no longer take turns. */
  function proceed(): void {
    if (current !== undefined) {
      return;
    }
    current = queue.next();
    if (current !== undefined) {
      worker ??= startThread();
      worker.postMessage(current.task);
    }
  }

  function startThread(): Worker {
    const thread = new Worker(new URL("./password-thread.ts", import.meta.url));
    thread.on("message", ({ id, result }: PasswordAnswer) => {
      if (current?.task.id !== id) {
        return;
      }
      done += 1;
      queue.end(current);
      current.resolve(result);
      current = undefined;
      proceed();
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

  function run(input: TaskInput, sender: HashSender): Promise<string | boolean> {
    asked += 1;
    const task: PasswordTask = { ...input, id: asked };
    return new Promise((resolve, reject) => {
      if (isStopped || !queue.add({ task, resolve, reject }, sender)) {
        reject(overloaded());
        return;
      }
      proceed();
    });
  }

  async function hash(password: string, sender: HashSender): Promise<string> {
    const salt = deps.randomBytes(SALT_BYTES);
    return String(await run({ kind: "hash", password, salt, cost }, sender));
  }

  const unguessable = Buffer.from(deps.randomBytes(SALT_BYTES)).toString("base64");
  const matchesNothing = await hash(unguessable, { block: "", account: "", isKnown: false });
  return {
    hash,
    verify: async (password, phc, sender) => {
      const task = { kind: "verify", password, phc: phc ?? matchesNothing } as const;
      const isRight = await run(task, sender);
      return isRight === true && phc !== undefined;
    },
    isOutdated: (phc) => isOutdatedHash(phc, cost),
    get load() {
      return { done, waiting: queue.size };
    },
    stop: async () => {
      isStopped = true;
      const thread = worker;
      failAll(overloaded());
      await thread?.terminate();
    },
  };
}
