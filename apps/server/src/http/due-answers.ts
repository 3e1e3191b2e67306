import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** The answer to bytes that are not HTTP: there is no request yet, so no request id and no renderer. */
function toProblemBytes(code: string | undefined): string {
  const problem =
    code === "HPE_HEADER_OVERFLOW"
      ? {
          status: 431,
          code: "HEADERS_TOO_LARGE",
          detail: "The request line and headers are too large.",
        }
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? { status: 408, code: "REQUEST_TIMEOUT", detail: "The request came too slowly." }
        : { status: 400, code: "MALFORMED_REQUEST", detail: "The request is not valid HTTP." };
  const title = STATUS_CODES[problem.status];
  const body = JSON.stringify({
    type: "about:blank",
    title,
    ...problem,
    error: problem.detail,
    message: problem.detail,
  });
  return [
    `HTTP/1.1 ${problem.status} ${title}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

/**
 * The answers that are due on the connections of a listener, so that bytes which are not HTTP take none of them away: a
 * request before them may have been let through, and billed.
 */
export class DueAnswers {
  readonly #last = new WeakMap<Socket, ServerResponse>();
  readonly #closing = new WeakSet<Socket>();
  readonly #passedOver = new WeakSet<IncomingMessage>();
  readonly #ending = new WeakSet<Socket>();

  /**
   * Notes a request, which is the last one on its connection.
   *
   * @returns False when nothing may be done for it: its connection ends with an answer before it.
   */
  add(res: ServerResponse): boolean {
    const { socket } = res.req;
    if (this.#closing.has(socket) || this.#ending.has(socket)) {
      return false;
    }
    this.#last.set(socket, res);
    if (this.#passedOver.has(res.req)) {
      this.#ending.add(socket);
      res.shouldKeepAlive = false;
    }
    return true;
  }

  has(socket: Socket): boolean {
    return this.#last.get(socket)?.closed === false;
  }

  /**
   * For a server's `shouldUpgradeCallback`. Behind a request that is not answered yet, an offer to upgrade is ignored and
   * the connection ends with the answer: it cannot be given away there, and Node loses what comes behind the offer.
   */
  readonly mayUpgrade = (req: IncomingMessage): boolean => {
    if (!this.has(req.socket)) {
      return true;
    }
    this.#passedOver.add(req);
    return false;
  };

  /** For a server's `clientError`: lets answers that are due go out, answers what is not HTTP, and ends the connection. */
  readonly onClientError = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (this.#closing.has(socket)) {
      // Node takes every further byte as a sign of life. From a client that does not read its answers it is none.
      if (socket.writableLength > 0) {
        socket.destroy();
      }
      return;
    }
    this.#closing.add(socket);
    const refuse = (isOwnTurn: boolean): void => {
      if (isOwnTurn && socket.writable && error.code !== "ECONNRESET") {
        socket.write(toProblemBytes(error.code));
      }
      socket.destroySoon();
    };
    const res = this.#last.get(socket);
    if (res === undefined || res.closed) {
      refuse(true);
    } else if (res.req.complete) {
      // The bytes behind a good request are bad: that request still gets its own answer, and nothing after it.
      res.shouldKeepAlive = false;
      res.once("close", () => socket.destroySoon());
    } else if (res.socket === socket) {
      // The request itself is bad. Once its answer has begun, ours would look like part of it.
      refuse(!res.headersSent);
    } else {
      // The answer to the request before it is due, or its own has just gone out.
      res.once("socket", () => process.nextTick(() => refuse(!res.headersSent)));
      res.once("close", () => socket.destroySoon());
    }
  };
}
