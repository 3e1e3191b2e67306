import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Serves a request whose offer of another protocol is not taken up (RFC 9110 section 7.8) as the HTTP/1.1 that it also is.
 * For a server's `upgrade` event: Node hands the connection over there, and where a server says no beforehand, it loses
 * the bytes that came behind the head, so that the next request would begin in the middle of itself.
 *
 * @param head - What came behind the request's head: its body, and what is pipelined behind it.
 */
export function serveWithoutUpgrade(
  server: Server,
  { req, socket, head }: { req: IncomingMessage; socket: Socket; head: Buffer },
): void {
  let text = `${req.method ?? ""} ${req.url ?? ""} HTTP/${req.httpVersion}\r\n`;
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2) {
    if (req.rawHeaders[i]?.toLowerCase() !== "upgrade") {
      text += `${req.rawHeaders[i]}: ${req.rawHeaders[i + 1]}\r\n`;
    }
  }
  // Node removes all its listeners but these two, and adds them again.
  socket.removeAllListeners("resume").removeAllListeners("pause");
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
