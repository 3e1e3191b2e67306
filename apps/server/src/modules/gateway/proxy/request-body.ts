import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Clock } from "#platform/clock.ts";

/** Why a body could not be taken in full. */
export type BodyFailure = "PAYLOAD_TOO_LARGE" | "REQUEST_TIMEOUT" | "CLIENT_ABORTED";

export type BodyLimits = {
  maxBytes: number;
  /** Length of the window over which the rate is measured, and the longest silence. */
  windowMs: number;
  /** The minimum a client must send while we wait for it, averaged over a window. */
  minBytesPerSecond: number;
};

/** True when the request announces a body, by length or in chunks. Needs the framing checks of `inspectRequest`. */
export function hasRequestBody(req: IncomingMessage): boolean {
  const length = req.headers["content-length"];
  return (length !== undefined && length !== "0") || req.headers["transfer-encoding"] !== undefined;
}

/** The announced length in bytes, or `undefined` for a body in chunks. */
export function contentLengthOf(req: IncomingMessage): number | undefined {
  const length = req.headers["content-length"];
  return length === undefined ? undefined : Number(length);
}

/**
 * The client's body as a stream for the upstream: pulled only as fast as the upstream takes it, counted, and ended with
 * an error when it is too large, too slow or cut off. It sits between `req` and undici because undici destroys the
 * body it is given, and destroying `req` would close the client's connection before the answer.
 */
export class RequestBody extends Readable {
  failure: BodyFailure | undefined;
  bytes = 0;
  /** True while the upstream wants more than the client has sent: the silence is the client's. */
  isWaitingOnClient = false;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #limits: BodyLimits;
  readonly #clock: Clock;
  #started = false;
  #timer: NodeJS.Timeout | undefined;
  #windowBytes = 0;
  #waitedMs = 0;
  #waitingSinceMs = 0;

  constructor(input: {
    req: IncomingMessage;
    res: ServerResponse;
    limits: BodyLimits;
    clock: Clock;
  }) {
    super();
    this.#req = input.req;
    this.#res = input.res;
    this.#limits = input.limits;
    this.#clock = input.clock;
    // The reader may be gone by the time the stream fails; `failure` says why.
    this.on("error", () => undefined);
    this.#req.on("close", this.#onClose);
  }

  override _read(): void {
    if (!this.#started) {
      this.#start();
    }
    if (!this.isWaitingOnClient) {
      this.isWaitingOnClient = true;
      this.#waitingSinceMs = this.#clock.monotonicMs();
    }
    this.#req.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.isWaitingOnClient = false;
    this.#req.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose);
    // Without a reader the rest must stay where it is: gateway-server.ts drains or drops it after the answer.
    this.#req.pause();
    callback(error);
  }

  #start(): void {
    this.#started = true;
    // To HTTP/1.0 an interim answer would be the answer.
    if (this.#req.headers.expect !== undefined && this.#req.httpVersion === "1.1") {
      // The upstream is ready for the body, so now the client may send it, and the connection stays usable.
      this.#res.writeContinue();
      this.#res.shouldKeepAlive = !/\bclose\b/i.test(this.#req.headers.connection ?? "");
    }
    this.#req.on("data", this.#onData).on("end", this.#onEnd);
    this.#timer = setTimeout(this.#onWindow, this.#limits.windowMs);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    this.#windowBytes += chunk.length;
    if (this.bytes > this.#limits.maxBytes) {
      this.#fail("PAYLOAD_TOO_LARGE");
      return;
    }
    if (!this.push(chunk)) {
      this.#stopWaiting();
      this.#req.pause();
    }
  };

  readonly #onEnd = (): void => {
    this.#stopWaiting();
    clearTimeout(this.#timer);
    this.push(null);
  };

  readonly #onClose = (): void => {
    // Also with a body that came in full: what was not read of it by now is gone with the connection.
    if (!this.#req.readableEnded) {
      this.#fail("CLIENT_ABORTED");
    }
  };

  /** Judges the rate only over the time spent waiting for the client, and only if that was most of the window. */
  readonly #onWindow = (): void => {
    const wasWaiting = this.isWaitingOnClient;
    this.#stopWaiting();
    const { windowMs, minBytesPerSecond } = this.#limits;
    const isTooSlow =
      this.#waitedMs > windowMs / 2 &&
      this.#windowBytes < (minBytesPerSecond * this.#waitedMs) / 1000;
    if (isTooSlow) {
      this.#fail("REQUEST_TIMEOUT");
      return;
    }
    this.#windowBytes = 0;
    this.#waitedMs = 0;
    this.isWaitingOnClient = wasWaiting;
    this.#waitingSinceMs = this.#clock.monotonicMs();
    this.#timer?.refresh();
  };

  #stopWaiting(): void {
    if (this.isWaitingOnClient) {
      this.isWaitingOnClient = false;
      this.#waitedMs += this.#clock.monotonicMs() - this.#waitingSinceMs;
    }
  }

  #fail(failure: BodyFailure): void {
    this.failure ??= failure;
    this.destroy(new Error(`The request body ended early: ${failure}`));
  }
}
