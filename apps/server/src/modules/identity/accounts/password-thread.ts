import { parentPort } from "node:worker_threads";
import { yieldThreadToCalls } from "#platform/yield-to-calls.ts";
import { hashPassword, isPasswordOf, type PasswordCost } from "./password-hash.ts";

/** A task of the main thread. Answers carry the same id and come in the same order. */
export type PasswordTask =
  | { id: number; kind: "hash"; password: string; salt: Uint8Array; cost: PasswordCost }
  | { id: number; kind: "verify"; password: string; phc: string };

export type PasswordAnswer = { id: number; result: string | boolean };

function work(task: PasswordTask): string | boolean {
  return task.kind === "hash"
    ? hashPassword(task.password, task.salt, task.cost)
    : isPasswordOf(task.password, task.phc);
}

yieldThreadToCalls();
parentPort?.on("message", (task: PasswordTask) => {
  parentPort?.postMessage({ id: task.id, result: work(task) } satisfies PasswordAnswer);
});
