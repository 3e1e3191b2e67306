import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A connection that Node has handed over, and the bytes that came behind the request. */
export type RawConnection = { socket: Socket; head: Buffer };

/**
 * Makes a response for a request whose connection Node has handed over (an upgrade or CONNECT), so that it can be
 * refused like any other. The connection ends with the answer.
 *
 * @throws {Error} `ERR_HTTP_SOCKET_ASSIGNED` while another answer is due on the connection: there is one for each.
 */
export function createRawResponse(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once("finish", () => socket.destroySoon());
  return res;
}
