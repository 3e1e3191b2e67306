import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Makes a response for a request whose connection Node has handed over (an upgrade or CONNECT), so that it can be
 * refused like any other. The connection ends with the answer.
 */
export function createRawResponse(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once("finish", () => socket.destroySoon());
  return res;
}
