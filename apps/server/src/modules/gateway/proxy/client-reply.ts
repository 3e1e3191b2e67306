import type { MovingDeadline } from "#platform/moving-deadline.ts";
import type { ProxyProblem } from "./call-outcome.ts";
import type { HeaderPair, ReplyHeaders } from "./forward-headers.ts";
import type { ProxyCallInput } from "./proxy-call-input.ts";
import { addHeaders, toReasonPhrase } from "./reply-head.ts";

/** The head of an upstream's answer, and what is added to it for the client. */
export type ReplyStart = {
  status: number;
  statusMessage: string | undefined;
  reply: ReplyHeaders;
  headers: readonly HeaderPair[];
};

/** The client's side of a call: the answer as it is written, whether the client reads it, and whether it is still there. */
export class ClientReply {
  readonly #input: ProxyCallInput;
  readonly #deadline: MovingDeadline;
  #isEndedByClose = false;
  isGone = false;
  /** True while the client does not read what was written. */
  isBlocking = false;
  sendsTrailers = false;
  bytes = 0;

  /** @param deadline - Moved with each chunk of the answer. */
  constructor(input: ProxyCallInput, deadline: MovingDeadline) {
    this.#input = input;
    this.#deadline = deadline;
  }

  writeHead({ status, statusMessage, reply, headers }: ReplyStart): void {
    const { req, res, tap } = this.#input;
    if (tap?.changesLength === true && reply.hasContentLength) {
      reply.headers.splice(-2);
      reply.hasContentLength = false;
    }
    res.writeHead(status, toReasonPhrase(statusMessage), addHeaders(reply.headers, headers));
    this.#isEndedByClose = req.httpVersion === "1.0" && !reply.hasContentLength;
    this.sendsTrailers =
      !reply.hasContentLength &&
      req.httpVersion === "1.1" &&
      (req.headers["te"] ?? "").includes("trailers");
  }

  /** Sends the head now, when nothing has followed it yet. */
  flushHead(): void {
    if (this.bytes === 0) {
      // Not flushHeaders(), which writes the head as UTF-8 and so changes bytes beyond ASCII.
      this.#input.res.write("", "latin1");
    }
  }

  write(received: Buffer): void {
    const chunk = this.#input.tap?.write(received) ?? received;
    this.bytes += chunk.length;
    if (this.#input.res.write(chunk)) {
      this.#deadline.set(this.#input.pool.upstream.timeouts.idleMs);
    } else {
      this.isBlocking = true;
      this.#deadline.set(this.#input.limits.clientIdleMs);
    }
  }

  /** Writes what follows the last chunk: what the tap held, and trailers for a client that takes them. */
  writeEnd(trailers: readonly HeaderPair[]): void {
    const { res, tap } = this.#input;
    if (this.sendsTrailers && trailers.length > 0) {
      res.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
    }
    const rest = tap?.end(true);
    if (rest !== undefined && rest.length > 0) {
      this.bytes += rest.length;
      res.write(rest);
    }
  }

  end(): void {
    this.#input.res.end();
    if (!this.isGone) {
      // The last bytes may still be in our buffer, and a client that never reads them must not hold them there.
      this.#deadline.set(this.#input.limits.clientIdleMs);
    }
  }

  /** The client must see a broken connection, never a clean end. */
  breakOff(): void {
    const { req, res } = this.#input;
    if (this.#isEndedByClose) {
      // HTTP/1.0 takes a closed connection for the end of the body; a reset cannot be mistaken.
      req.socket.resetAndDestroy();
    }
    res.destroy();
  }

  renderProblem(problem: Omit<ProxyProblem, "requestId">): void {
    const { res, renderProblem, requestId, pool } = this.#input;
    if (res.headersSent || res.destroyed) {
      res.destroy();
    } else {
      renderProblem(res, { ...problem, requestId }, pool.upstream);
    }
  }
}
