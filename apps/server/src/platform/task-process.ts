import { type ChildProcess, fork } from "node:child_process";
import { AppError } from "@turnpike/domain/errors/app-error";

/** Work in a process of its own, one task after the other. */
export type TaskProcess<Input, Result> = {
  /**
   * @throws {AppError} `OVERLOADED` when too many tasks wait already.
   * @throws {TaskLostError} The process ended or was ended in the middle of the task; the next task begins another.
   */
  run(input: Input): Promise<Result>;
};

/** A task took too long, or took its process down. */
export class TaskLostError extends Error {
  override readonly name = "TaskLostError";
}

type Answer = { result: unknown } | { failure: string };

/**
 * Makes a process that begins with its first task and ends when it has had none for a while. Unlike a thread, it can be ended in
 * the middle of foreign code, takes nothing along when that code crashes, and is given no secret: its environment is empty.
 *
 * @param options.entry - A module that calls {@link serveProcessTasks}.
 * @param options.waitingMax - Tasks that may wait or run at once.
 * @param options.timeoutMs - How long one task may take once it runs.
 * @param options.env - All that the process sees of the environment.
 */
export function createTaskProcess<Input extends object, Result>(options: {
  entry: URL;
  waitingMax: number;
  timeoutMs: number;
  idleMs: number;
  heapMegabytes: number;
  env: Readonly<Record<string, string>>;
}): TaskProcess<Input, Result> {
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  function begin(): ChildProcess {
    const begun = fork(options.entry, {
      env: { ...options.env },
      execArgv: [`--max-old-space-size=${String(options.heapMegabytes)}`],
      // Buffers are copied as they are.
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // A server that stops does not wait for it, and it ends when the server is gone.
    begun.unref();
    begun.channel?.unref();
    // Heard by the task that runs; without one, the next task begins anew.
    begun.on("error", () => undefined);
    begun.once("exit", () => {
      child = child === begun ? undefined : child;
    });
    return begun;
  }

  function end(): void {
    child?.kill("SIGKILL");
    child = undefined;
  }

  function runNow(input: Input): Promise<Result> {
    clearTimeout(idle);
    child ??= begin();
    const current = child;
    return new Promise<Result>((resolve, reject) => {
      const settle = (done: () => void): void => {
        clearTimeout(timer);
        current.off("message", onMessage);
        current.off("exit", onExit);
        current.channel?.unref();
        done();
      };
      const lose = (message: string): void =>
        settle(() => {
          end();
          reject(new TaskLostError(message));
        });
      const onExit = (): void => lose("The process of the task has ended.");
      const onMessage = (answer: Answer): void =>
        settle(() =>
          "failure" in answer
            ? reject(new Error(answer.failure))
            : resolve(answer.result as Result),
        );
      const timer = setTimeout(() => lose("The task took too long."), options.timeoutMs);
      current.channel?.ref();
      current.on("message", onMessage);
      current.once("exit", onExit);
      current.send(input, (error) => {
        if (error !== null) {
          lose("The process of the task cannot be reached.");
        }
      });
    });
  }

  return {
    run(input) {
      if (waiting >= options.waitingMax) {
        return Promise.reject(
          new AppError({
            code: "OVERLOADED",
            publicMessage: "Too many files are being read: try again in a moment.",
          }),
        );
      }
      waiting += 1;
      const result = last
        .then(() => runNow(input))
        .finally(() => {
          waiting -= 1;
          if (waiting === 0) {
            idle = setTimeout(end, options.idleMs).unref();
          }
        });
      last = result.catch(() => undefined);
      return result;
    },
  };
}

/** Answers the tasks of the process that this module runs in, and ends with the process that began it. */
export function serveProcessTasks<Input>(work: (input: Input) => Promise<unknown>): void {
  process.on("message", (input: Input) => {
    work(input).then(
      (result) => process.send?.({ result }),
      (error: unknown) => {
        const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.send?.({ failure });
      },
    );
  });
  process.once("disconnect", () => process.exit());
}
