import { parentPort, Worker } from "node:worker_threads";
import { AppError } from "@turnpike/domain/errors/app-error";

type Answer = { id: number; result: unknown } | { id: number; failure: string };
type Waiting = {
  resolve(result: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
};

/** Work in a thread of its own, one task after the other, so that it holds up nothing else. */
export type TaskThread<Input, Result> = {
  /**
   * @throws {AppError} `OVERLOADED` when too many tasks wait already.
   * @throws {Error} What the task threw, or that it took too long: then the thread is ended, and the next task begins another.
   */
  run(input: Input): Promise<Result>;
};

/**
 * Makes a thread that begins with its first task and ends when it has had none for a while.
 *
 * @param options.entry - A module that calls {@link serveTasks}.
 * @param options.waitingMax - Tasks that may wait or run at once.
 * @param options.timeoutMs - How long one task may take, with those before it.
 */
export function createTaskThread<Input, Result>(options: {
  entry: URL;
  waitingMax: number;
  timeoutMs: number;
  idleMs: number;
}): TaskThread<Input, Result> {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function endWith(error: Error, thread: Worker): void {
    if (worker !== thread) {
      return;
    }
    worker = undefined;
    for (const [id, { reject, timer }] of waiting) {
      clearTimeout(timer);
      waiting.delete(id);
      reject(error);
    }
    void thread.terminate();
  }

  function hear(answer: Answer): void {
    const task = waiting.get(answer.id);
    if (task === undefined) {
      return;
    }
    waiting.delete(answer.id);
    clearTimeout(task.timer);
    if ("failure" in answer) {
      task.reject(new Error(answer.failure));
    } else {
      task.resolve(answer.result);
    }
    if (waiting.size === 0) {
      idle = setTimeout(() => {
        const thread = worker;
        worker = undefined;
        void thread?.terminate();
      }, options.idleMs).unref();
    }
  }

  function begin(): Worker {
    const thread = new Worker(options.entry);
    // A server that stops does not wait for it.
    thread.unref();
    thread.on("message", hear);
    thread.once("error", (error) =>
      endWith(error instanceof Error ? error : new Error(String(error)), thread),
    );
    thread.once("exit", () => endWith(new Error("The thread of the task has ended."), thread));
    return thread;
  }

  return {
    run(input) {
      if (waiting.size >= options.waitingMax) {
        return Promise.reject(
          new AppError({
            code: "OVERLOADED",
            publicMessage: "Too many documents are being made: try again in a moment.",
          }),
        );
      }
      clearTimeout(idle);
      worker ??= begin();
      const thread = worker;
      lastId += 1;
      const id = lastId;
      return new Promise<Result>((resolve, reject) => {
        const timer = setTimeout(
          () => endWith(new Error("The task took too long."), thread),
          options.timeoutMs,
        );
        waiting.set(id, { resolve: (result) => resolve(result as Result), reject, timer });
        thread.postMessage({ id, input });
      });
    },
  };
}

/** Answers the tasks of the thread that this module runs in. */
export function serveTasks<Input>(work: (input: Input) => Promise<unknown>): void {
  parentPort?.on("message", ({ id, input }: { id: number; input: Input }) => {
    work(input).then(
      (result) => parentPort?.postMessage({ id, result }),
      (error: unknown) => {
        const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
        parentPort?.postMessage({ id, failure });
      },
    );
  });
}
