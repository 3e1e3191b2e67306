import type { ConnectionTarget } from "@turnpike/db/client";
import { forkProgram } from "./fork-program.ts";

/** What a deciding process works on. */
export type DecidingSettings = {
  target: ConnectionTarget;
  /** For its journal. One process at a time; the next one that starts on it replaces the one before. */
  folder: string;
};

export type CallAnswer = {
  /** `VALID`, the reason of a denial, or why there is no decision. */
  code: string;
  callId?: number;
  periodStartMs?: number;
  /** Of the tenant's quota, when it has one. */
  limit?: number | undefined;
};

/** `later`: in flight until it is ended. A cost of 0 looks and takes nothing. */
export type CallQuestion = {
  key: string;
  /** Left out: `requests`. */
  meter?: string;
  cost: number;
  ends: "billed" | "failed" | "later";
};

export type DecidingQuestion =
  | { ask: "calls"; calls: readonly CallQuestion[] }
  | { ask: "end"; callId: number; isBilled: boolean }
  | { ask: "skew"; wallMs?: number; addMonotonicMs?: number }
  /** Commits everything recorded. */
  | { ask: "flush" }
  /** Commits, gives leases back and ends. */
  | { ask: "drain" };

export type DecidingProcess = {
  pid: number;
  /** The id under which it meters. */
  processId: string;
  calls(calls: readonly CallQuestion[]): Promise<CallAnswer[]>;
  ask(question: Exclude<DecidingQuestion, { ask: "calls" }>): Promise<boolean>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<void>;
};

type Reply = { id: number; result?: unknown; error?: string };

class ProcessGoneError extends Error {
  override readonly name = "ProcessGoneError";
}

/** True when a question got no answer because the process is gone; its outcome is unknown. */
export function isProcessGone(error: unknown): boolean {
  return error instanceof ProcessGoneError;
}

/** Starts a process that decides calls and meters them; resolves once it does. */
export async function startDecidingProcess(settings: DecidingSettings): Promise<DecidingProcess> {
  const child = forkProgram("deciding-program.ts");
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;

  function expectReply(id: number): Promise<unknown> {
    const reply = Promise.withResolvers<unknown>();
    waiting.set(id, reply);
    return reply.promise;
  }

  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      for (const reply of waiting.values()) {
        reply.reject(new ProcessGoneError("The process is gone."));
      }
      waiting.clear();
      resolve();
    });
  });
  child.on("message", ({ id, result, error }: Reply) => {
    const reply = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) {
      reply?.resolve(result);
    } else {
      reply?.reject(new Error(error));
    }
  });

  async function ask(question: DecidingQuestion): Promise<unknown> {
    if (!child.connected) {
      throw new ProcessGoneError("The process is gone.");
    }
    asked += 1;
    const reply = expectReply(asked);
    // One that was killed this very moment does not take it; its end is what tells.
    child.send({ id: asked, question }, () => undefined);
    return await reply;
  }

  const ready = expectReply(0);
  child.send(settings);
  const processId = String(await ready);
  return {
    pid: child.pid ?? 0,
    processId,
    calls: async (calls) => (await ask({ ask: "calls", calls })) as CallAnswer[],
    ask: async (question) => (await ask(question)) === true,
    kill: (signal) => void child.kill(signal),
    ended,
  };
}
