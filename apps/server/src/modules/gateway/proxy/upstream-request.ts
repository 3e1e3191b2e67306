import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";
import type { PermitVerdict } from "../decide/limits/call-permits.ts";
import {
  filterReplyHeaders,
  filterReplyTrailers,
  type HeaderPair,
  type ReplyHeaders,
} from "./forward-headers.ts";
import type { ProxyCallInput } from "./proxy-call-input.ts";
import type { RequestBody } from "./request-body.ts";

/** More interim answers than any protocol needs: beyond this the upstream is flooding us. */
const INTERIM_RESPONSES_MAX = 32;

const NO_TRAILERS: readonly HeaderPair[] = [];

/** Events of a request on its way to the upstream, and of its answer. */
export interface UpstreamListener {
  /** True until the call has an outcome. */
  readonly isWaiting: boolean;
  readonly wantsTrailers: boolean;
  /** The request is on a connection. */
  onConnected(): void;
  /** A part of the request was sent. */
  onProgress(): void;
  onStatus(status: number, statusMessage: string | undefined, reply: ReplyHeaders): void;
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  /** No answer comes, or no more of it. */
  onBroken(error: Error): void;
  onUpgrade(status: number, reply: ReplyHeaders, upstreamSocket: Duplex): void;
}

/** The upstream's side of a call: its permit, the request on a connection, and how far the answer has come. */
export class UpstreamRequest implements Dispatcher.DispatchHandler {
  readonly #input: ProxyCallInput;
  readonly #listener: UpstreamListener;
  #controller: Dispatcher.DispatchController | undefined;
  #dispatchedAtMs = 0;
  #holdsPermit = false;
  #isRetry = false;
  #interimResponses = 0;
  /** True once the upstream has been sent the whole request, and may work on it. */
  isSent = false;
  answer: "open" | "complete" | "broken" = "open";
  trailers = NO_TRAILERS;

  constructor(input: ProxyCallInput, listener: UpstreamListener) {
    this.#input = input;
    this.#listener = listener;
  }

  /** @throws {AppError} `OVERLOADED` when its permit cannot be counted. */
  tryAcquire(): PermitVerdict {
    const { pool, permitUse, permits } = this.#input;
    const ofCluster = permits?.upstream ?? "taken";
    const verdict = ofCluster === "taken" ? pool.tryAcquire(permitUse) : ofCluster;
    this.#holdsPermit = verdict === "taken";
    return verdict;
  }

  releasePermit(): void {
    if (this.#holdsPermit) {
      this.#holdsPermit = false;
      this.#input.pool.release(this.#input.permitUse);
      this.#input.permits?.releaseUpstream();
    }
  }

  dispatch(body: RequestBody | undefined): void {
    const { req, pool, rawTarget, headers, upgrade, heldBody, clock } = this.#input;
    this.#dispatchedAtMs = clock.monotonicMs();
    pool.dispatch(
      {
        path: rawTarget,
        method: req.method ?? "GET",
        headers,
        servername: pool.upstream.target.host,
        body: body ?? heldBody ?? null,
        upgrade: upgrade === undefined ? null : "websocket",
        // Our own timers also cover what undici's leave out: interim answers and stalled uploads.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    );
  }

  /** Milliseconds since it was handed to the connection pool. */
  elapsedMs(): number {
    return this.#input.clock.monotonicMs() - this.#dispatchedAtMs;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (!this.#listener.isWaiting) {
      controller.abort(new Error("The call ended while it waited for a connection"));
      return;
    }
    this.#listener.onConnected();
  }

  onBodySent(): void {
    this.#listener.onProgress();
  }

  onRequestSent(): void {
    this.isSent = true;
    this.#listener.onProgress();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusMessage?: string,
  ): void {
    if (status < 200) {
      this.#interimResponses += 1;
      if (this.#interimResponses > INTERIM_RESPONSES_MAX) {
        throw new Error("The upstream sends interim answers without end");
      }
      return;
    }
    if (!this.#listener.isWaiting) {
      return;
    }
    const reply = this.#readHeaders(controller, status);
    if (reply.hasUnknownCoding) {
      throw new Error("The upstream's answer is in a transfer coding other than chunked");
    }
    this.#listener.onStatus(status, statusMessage, reply);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#listener.onChunk(chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.answer = "complete";
    if (this.#listener.wantsTrailers) {
      const { rawTrailers } = controller;
      this.trailers = Array.isArray(rawTrailers) ? filterReplyTrailers(rawTrailers) : [];
    }
    this.releasePermit();
    this.#listener.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.answer = "broken";
    this.#listener.onBroken(error);
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    upstreamSocket: Duplex,
  ): void {
    // Between the upgrade and the pipes nothing else listens for errors.
    upstreamSocket.on("error", () => undefined);
    if (!this.#listener.isWaiting || this.#input.upgrade === undefined) {
      upstreamSocket.destroy();
      return;
    }
    this.answer = "complete";
    this.#listener.onUpgrade(status, this.#readHeaders(controller, status), upstreamSocket);
  }

  #readHeaders(controller: Dispatcher.DispatchController, status: number): ReplyHeaders {
    const { rawHeaders } = controller;
    return filterReplyHeaders({
      rawHeaders: Array.isArray(rawHeaders) ? rawHeaders : [],
      status,
      replaced: this.#input.extraResponseHeaders,
      costHeaderName: this.#input.costHeaderName,
    });
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** Drops the connection, unless the answer is over. */
  abort(): void {
    if (this.answer === "open") {
      this.answer = "broken";
      this.#controller?.abort(new Error("The gateway dropped the call"));
    }
  }

  /** Nothing more is wanted of the upstream. Without a permit nothing was asked of it either. */
  conclude(): void {
    if (this.#holdsPermit) {
      this.abort();
    }
    this.releasePermit();
  }

  /**
   * Once, and only what RFC 9110 section 9.2.2 allows: a safe method without a body, on a connection that had served
   * before and was closed under us before a byte of an answer. A keep-alive connection that the upstream times out at
   * the very moment we use it looks like that; a new connection that dies does not.
   */
  canRetry(error: Error, body: RequestBody | undefined): boolean {
    const { req, upgrade } = this.#input;
    const isSafe = req.method === "GET" || req.method === "HEAD" || req.method === "OPTIONS";
    return (
      isSafe &&
      !this.#isRetry &&
      body === undefined &&
      upgrade === undefined &&
      this.#interimResponses === 0 &&
      bytesReadBefore(error) > 0
    );
  }

  /** To be dispatched once more. */
  prepareRetry(): void {
    this.#isRetry = true;
    this.isSent = false;
    this.answer = "open";
    this.#controller = undefined;
  }
}

/** Bytes that arrived on the broken connection. undici reports them only for sockets that the other side closed. */
function bytesReadBefore(error: Error): number {
  if (
    "socket" in error &&
    typeof error.socket === "object" &&
    error.socket !== null &&
    "bytesRead" in error.socket
  ) {
    return Number(error.socket.bytesRead);
  }
  return 0;
}
