import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { CallTraffic } from "./call-outcome.ts";

/** How long an upstream may take to read the client's last bytes: a few hundred kB, so even a slow one can. */
const LAST_BYTES_MS = 10_000;

/** Writes the status line and headers that hand a client's connection over to WebSocket. */
export function writeUpgradeHead(socket: Socket, headers: readonly string[]): void {
  let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  for (let i = 0; i + 1 < headers.length; i += 2) {
    head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  }
  socket.write(`${head}\r\n`, "latin1");
}

/**
 * Joins two connections byte for byte, in both directions, with backpressure. An end on one side is an end on the
 * other, so that a half-closed connection still carries the rest; an error or a close on one side closes both, also when
 * the other side does not read.
 *
 * @param input.head - Bytes of the client that came behind its request.
 * @param input.idleMs - Silence in both directions after which both are closed.
 * @param input.onClose - Called once, when the client's side is closed.
 */
export function joinSockets(input: {
  client: Socket;
  upstream: Duplex;
  head: Buffer;
  idleMs: number;
  onClose: (traffic: CallTraffic) => void;
}): void {
  const { client, upstream, head, idleMs } = input;
  const readBefore = client.bytesRead - head.length;
  const writtenBefore = client.bytesWritten;
  if (head.length > 0) {
    client.unshift(head);
  }
  client.setNoDelay(true);
  client.setTimeout(idleMs, () => client.destroy());
  client.on("error", () => upstream.destroy());
  upstream.on("error", () => client.destroy());
  upstream.once("close", () => closeSoon(client));
  client.once("close", () => {
    closeSoon(upstream);
    const timer = setTimeout(() => upstream.destroy(), Math.min(idleMs, LAST_BYTES_MS));
    upstream.once("close", () => clearTimeout(timer));
    input.onClose({
      requestBytes: client.bytesRead - readBefore,
      responseBytes: client.bytesWritten - writtenBefore,
    });
  });
  client.pipe(upstream);
  upstream.pipe(client);
}

/** Lets what is buffered go out, then closes. */
function closeSoon(stream: Duplex): void {
  if (stream instanceof Socket) {
    stream.destroySoon();
  } else {
    stream.destroy();
  }
}
