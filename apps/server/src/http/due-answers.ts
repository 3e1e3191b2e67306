import { type ServerResponse, STATUS_CODES } from "node:http";
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
 * The answer that is due on each connection of a listener, so that bytes which are not HTTP are answered only where nobody
 * takes that for the answer to a request before them: that one may have been let through, and billed.
 */
export class DueAnswers {
  readonly #last = new WeakMap<Socket, ServerResponse>();
  readonly #closing = new WeakSet<Socket>();

  /** Notes the request that came last on its connection. */
  add(res: ServerResponse): void {
    this.#last.set(res.req.socket, res);
  }

  has(socket: Socket): boolean {
    return this.#last.get(socket)?.closed === false;
  }

  /** For a server's `clientError`: answers where an answer can be told from others, and ends the connection. */
  readonly onClientError = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (this.#closing.has(socket)) {
      return;
    }
    const res = this.#last.get(socket);
    if (res !== undefined && !res.closed && res.req.complete) {
      // The bytes behind a good request are bad: that request still gets its own answer, and nothing after it.
      this.#closing.add(socket);
      res.shouldKeepAlive = false;
      res.once("close", () => socket.destroySoon());
      return;
    }
    // Behind an answer that is due or has begun, ours would be taken for that one, or for a part of it.
    const isNextAnswer = !this.has(socket) || (res?.socket === socket && !res.headersSent);
    if (socket.writable && isNextAnswer && error.code !== "ECONNRESET") {
      socket.write(toProblemBytes(error.code));
    }
    socket.destroySoon();
  };
}
