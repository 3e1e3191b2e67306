import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A message as a receiver got it. */
export type ReceivedMessage = {
  target: string;
  headers: Record<string, string>;
  /** Byte for byte. */
  body: string;
};

export type WebhookReceiver = {
  /** Without a slash at the end. */
  url: string;
  received: ReceivedMessage[];
  /** What it does with the next ones. Default: 200 and `thanks`. */
  answer: (res: ServerResponse, message: ReceivedMessage) => unknown;
  /** Connections ever made to it. */
  connections(): number;
  close(): Promise<void>;
};

/** Starts a receiver of webhooks on this machine, which keeps what it gets. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  let connections = 0;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const headers = Object.fromEntries(
        Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
      );
      const body = Buffer.concat(chunks).toString("utf8");
      const message = { target: req.url ?? "", headers, body };
      receiver.received.push(message);
      receiver.answer(res, message);
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received: [],
    answer: (res) => res.end("thanks"),
    connections: () => connections,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return receiver;
}
