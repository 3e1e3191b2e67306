import { connect, type Socket } from "node:net";
import type { CrowdAnswer, CrowdQuestion } from "./connection-crowd.ts";
import { endWithParent } from "./fork-program.ts";

/** Connecting this many at once fills no backlog. */
const OPENING_AT_ONCE = 200;
const ANSWER_MS_MAX = 60_000;

/**
 * Holds thousands of connections, in a process of its own so that neither side takes the other's memory or files. Started by
 * `startConnectionCrowd`.
 */
const sockets = new Set<Socket>();

/** Sends the request on a connection, and waits for an answer; its status, 0 when the connection ends before. */
function ask(socket: Socket, request: string): Promise<number> {
  return new Promise((resolve) => {
    const done = (status: number): void => {
      clearTimeout(timer);
      socket.off("data", onData);
      socket.off("close", onClose);
      resolve(status);
    };
    const onData = (chunk: Buffer): void => {
      done(Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString("latin1"))?.[1] ?? 0));
    };
    const onClose = (): void => done(0);
    const timer = setTimeout(() => done(0), ANSWER_MS_MAX);
    if (socket.destroyed) {
      done(0);
      return;
    }
    socket.on("data", onData);
    socket.on("close", onClose);
    socket.write(request);
  });
}

async function open(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: "127.0.0.1" });
  return await new Promise((resolve) => {
    socket.once("connect", () => {
      sockets.add(socket);
      resolve(socket);
    });
    socket.on("error", () => resolve(undefined));
    socket.on("close", () => sockets.delete(socket));
    socket.resume();
  });
}

async function answer(question: CrowdQuestion): Promise<CrowdAnswer> {
  const statuses: Record<number, number> = {};
  const note = (status: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  switch (question.ask) {
    case "open":
      for (let opened = 0; opened < question.count; opened += OPENING_AT_ONCE) {
        const length = Math.min(OPENING_AT_ONCE, question.count - opened);
        const batch = Array.from({ length }, async () => {
          const socket = await open(question.port);
          note(socket === undefined ? 0 : await ask(socket, question.request));
        });
        await Promise.all(batch);
      }
      break;
    case "call":
      await Promise.all(
        [...sockets]
          .slice(0, question.count)
          .map(async (socket) => note(await ask(socket, question.request))),
      );
      break;
    case "close":
      for (const socket of sockets) {
        socket.destroy();
      }
      sockets.clear();
      break;
    case "look":
      break;
    default:
      return question satisfies never;
  }
  return { open: sockets.size, statuses };
}

endWithParent();
process.on("message", ({ id, question }: { id: number; question: CrowdQuestion }) => {
  void answer(question).then((result) => process.send?.({ id, result }));
});
process.send?.({ id: 0, result: { open: 0, statuses: {} } });
