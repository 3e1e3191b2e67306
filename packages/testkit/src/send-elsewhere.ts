import { Worker } from "node:worker_threads";

export type AskedRequest = {
  id: number;
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
};

type Reply = { id: number; status: number; text: string } | { id: number; error: string };

export type SendElsewhere = {
  /** The status and the first thousand characters of the answer. */
  send(asked: Omit<AskedRequest, "id">): Promise<{ status: number; text: string }>;
  close(): Promise<void>;
};

/** Starts a thread that sends requests, for tests that measure the thread which answers them. */
export function startSender(): SendElsewhere {
  const worker = new Worker(new URL("./request-thread.ts", import.meta.url));
  const waiting = new Map<number, (reply: Reply) => void>();
  let count = 0;
  worker.on("message", (reply: Reply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  return {
    async send(asked) {
      count += 1;
      const id = count;
      const reply = await new Promise<Reply>((resolve) => {
        waiting.set(id, resolve);
        worker.postMessage({ id, ...asked });
      });
      if ("error" in reply) {
        throw new Error(reply.error);
      }
      return reply;
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
