import { once } from "node:events";
import { forkProgram } from "./fork-program.ts";

export type CrowdQuestion =
  /** Opens so many connections, and sends one request on each. */
  | { ask: "open"; port: number; count: number; request: string }
  /** Sends a request on so many of those that are open, all at once. */
  | { ask: "call"; count: number; request: string }
  | { ask: "close" }
  | { ask: "look" };

export type CrowdAnswer = {
  /** Connections that are open. */
  open: number;
  /** How often each status was answered; 0: the connection was refused or closed without an answer. */
  statuses: Record<number, number>;
};

/** Thousands of clients, in a process of their own. */
export type ConnectionCrowd = {
  ask(question: CrowdQuestion): Promise<CrowdAnswer>;
  end(): Promise<void>;
};

export async function startConnectionCrowd(): Promise<ConnectionCrowd> {
  const child = forkProgram("connection-crowd-program.ts");
  const waiting = new Map<number, PromiseWithResolvers<CrowdAnswer>>();
  let asked = 0;

  function expectReply(id: number): Promise<CrowdAnswer> {
    const reply = Promise.withResolvers<CrowdAnswer>();
    waiting.set(id, reply);
    return reply.promise;
  }

  child.on("message", ({ id, result }: { id: number; result: CrowdAnswer }) => {
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  child.once("exit", () => {
    for (const reply of waiting.values()) {
      reply.reject(new Error("The crowd is gone."));
    }
  });
  await expectReply(0);
  return {
    ask(question) {
      asked += 1;
      const reply = expectReply(asked);
      child.send({ id: asked, question });
      return reply;
    },
    async end() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) {
        await once(child, "exit");
      }
    },
  };
}
