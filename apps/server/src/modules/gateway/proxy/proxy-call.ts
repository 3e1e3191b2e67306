import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import { MovingDeadline } from "#platform/moving-deadline.ts";
import type { UpstreamPermits } from "../decide/call-permits.ts";
import type { AnswerTap } from "./answer-tap.ts";
import {
  type CallOutcome,
  type CallTraffic,
  FAILURE_STATUS,
  type OutcomeReply,
  type ProxyProblem,
  type RenderProblem,
  type RevokedRights,
  type TransportFailureCode,
} from "./call-outcome.ts";
import {
  filterReplyHeaders,
  filterReplyTrailers,
  type HeaderPair,
  type ReplyHeaders,
} from "./forward-headers.ts";
import type { RawConnection } from "./raw-response.ts";
import { contentLengthOf, hasRequestBody, RequestBody } from "./request-body.ts";
import { joinSockets, writeUpgradeHead } from "./upgraded-connection.ts";
import type { PermitUse, UpstreamPool } from "./upstream-pool.ts";

export type ProxyCallLimits = {
  /** Window of the client's minimum rate, and the longest a client may leave an answer unread. */
  clientIdleMs: number;
  minUploadBytesPerSecond: number;
};

export type ProxyCallInput = {
  req: IncomingMessage;
  res: ServerResponse;
  pool: UpstreamPool;
  permitUse: PermitUse;
  permits?: UpstreamPermits | undefined;
  /** As the upstream gets it. */
  rawTarget: string;
  /** Flat list from `buildForwardHeaders`. */
  headers: string[];
  requestId: string;
  /** Called exactly once for every call. The answer is held until what it returns has settled. */
  onOutcome: (outcome: CallOutcome) => OutcomeReply | Promise<OutcomeReply>;
  extraResponseHeaders: readonly HeaderPair[];
  /** Set for a WebSocket. */
  upgrade: RawConnection | undefined;
  /** The body, when it was read before the call was sent. */
  heldBody?: Buffer | undefined;
  tap?: AnswerTap | undefined;
  limits: ProxyCallLimits;
  costHeaderName: string;
  renderProblem: RenderProblem;
  logger: Logger;
  clock: Clock;
};

/** Failures that end as soon as a call that is under way does. */
const RETRIED_SOON: ReadonlySet<string> = new Set(["OVERLOADED", "CONCURRENCY_LIMITED"]);

/** More interim answers than any protocol needs: beyond this the upstream is flooding us. */
const INTERIM_RESPONSES_MAX = 32;

/**
 * One call on its way through the gateway: `waiting` for the upstream's status line, `recording` while the outcome is
 * recorded, `replying` while the answer streams, `reading-on` while it is read for its tap alone because the client has left, `done`
 * when the upstream is finished with it.
 */
export class ProxyCall implements Dispatcher.DispatchHandler {
  readonly #input: ProxyCallInput;
  readonly #body: RequestBody | undefined;
  /** Settles when both sides are finished with the call; never rejects. */
  readonly finished: Promise<CallTraffic>;
  #resolveFinished: (traffic: CallTraffic) => void = () => undefined;
  #phase: "waiting" | "recording" | "replying" | "reading-on" | "done" = "waiting";
  #controller: Dispatcher.DispatchController | undefined;
  #dispatchedAtMs = 0;
  #holdsPermit = false;
  /** True once the upstream has been sent the whole request, and may work on it. */
  #isSent = false;
  #isRetry = false;
  #isClientGone = false;
  #isClientBlocking = false;
  #interimResponses = 0;
  /** What arrived while the outcome was being recorded. */
  #backlog: Buffer[] = [];
  #upstreamEnd: "open" | "complete" | "broken" = "open";
  #trailers: HeaderPair[] = [];
  #sendsTrailers = false;
  #isEndedByClose = false;
  #isCut = false;
  #closeTunnel: () => void = () => undefined;
  #responseBytes = 0;
  readonly #deadline: MovingDeadline;

  constructor(input: ProxyCallInput) {
    this.#input = input;
    this.finished = new Promise((resolve) => {
      this.#resolveFinished = resolve;
    });
    const { req, res, pool, limits, clock } = input;
    const { headersMs, idleMs } = pool.upstream.timeouts;
    this.#deadline = new MovingDeadline({
      monotonicMs: clock.monotonicMs,
      shortestMs: Math.min(headersMs, idleMs, limits.clientIdleMs, input.tap?.readOnMs ?? Infinity),
      onPassed: this.#onTimeout,
    });
    this.#body =
      input.upgrade === undefined && input.heldBody === undefined && hasRequestBody(req)
        ? new RequestBody({
            req,
            res,
            clock,
            limits: {
              maxBytes: pool.upstream.maxRequestBytes,
              windowMs: limits.clientIdleMs,
              minBytesPerSecond: limits.minUploadBytesPerSecond,
            },
          })
        : undefined;
  }

  /** Sends the call. @throws {AppError} `OVERLOADED` when its permit cannot be counted; then nothing has been sent. */
  run(): void {
    const { req, res, pool } = this.#input;
    res.on("close", this.#onClientClose);
    res.on("drain", this.#onClientDrain);
    if (res.closed || req.socket.destroyed) {
      // It left while the call was being decided, before the upstream heard of it.
      this.#isClientGone = true;
      this.#fail("CLIENT_ABORTED");
    } else if (
      this.#body !== undefined &&
      (contentLengthOf(req) ?? 0) > pool.upstream.maxRequestBytes
    ) {
      this.#fail("PAYLOAD_TOO_LARGE");
    } else if (pool.isFailing()) {
      this.#fail("UPSTREAM_UNREACHABLE");
    } else {
      this.#acquireAndDispatch();
    }
  }

  #acquireAndDispatch(): void {
    const { pool, permitUse, permits } = this.#input;
    const ofCluster = permits?.upstream ?? "taken";
    switch (ofCluster === "taken" ? pool.tryAcquire(permitUse) : ofCluster) {
      case "taken":
        this.#holdsPermit = true;
        this.#dispatch();
        return;
      case "over-share":
        this.#fail("CONCURRENCY_LIMITED");
        return;
      default:
        this.#fail("OVERLOADED");
    }
  }

  /**
   * Ends the call at once, on both sides, because its rights have ended: with a refusal when its client has nothing of an
   * answer yet, otherwise as a broken connection. An outcome that is recorded stays.
   */
  cut(rights: RevokedRights): void {
    if (this.#isCut) {
      return;
    }
    this.#isCut = true;
    const { res } = this.#input;
    switch (this.#phase) {
      case "waiting":
        // The rest of a body is not worth reading, and the connection cannot be used again without it.
        res.shouldKeepAlive = false;
        this.#endWaiting({ kind: "cut", code: rights.code, isSent: this.#isSent }, rights);
        return;
      case "recording":
        // What follows finds its client gone.
        this.#isClientGone = true;
        res.destroy();
        return;
      case "replying":
      case "reading-on":
        this.#abortUpstream();
        this.#breakOff();
        return;
      default:
        this.#closeTunnel();
        res.destroy();
    }
  }

  #dispatch(): void {
    const { req, pool, rawTarget, headers, upgrade, clock } = this.#input;
    const { connectMs, headersMs } = pool.upstream.timeouts;
    this.#dispatchedAtMs = clock.monotonicMs();
    this.#deadline.set(connectMs + headersMs);
    pool.dispatch(
      {
        path: rawTarget,
        method: req.method ?? "GET",
        headers,
        servername: pool.upstream.target.host,
        body: this.#body ?? this.#input.heldBody ?? null,
        upgrade: upgrade === undefined ? null : "websocket",
        // Our own timers also cover what undici's leave out: interim answers and stalled uploads.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#phase !== "waiting") {
      controller.abort(new Error("The call ended while it waited for a connection"));
      return;
    }
    this.#deadline.set(this.#input.pool.upstream.timeouts.headersMs);
  }

  onBodySent(): void {
    if (this.#phase === "waiting") {
      this.#deadline.renew();
    }
  }

  onRequestSent(): void {
    this.#isSent = true;
    this.onBodySent();
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
    if (this.#phase !== "waiting") {
      return;
    }
    const reply = this.#readReplyHeaders(controller, status);
    if (reply.hasUnknownCoding) {
      throw new Error("The upstream's answer is in a transfer coding other than chunked");
    }
    this.#record({
      outcome: {
        kind: "status",
        status,
        upstreamMs: this.#upstreamMs(),
        isStream: reply.isStream,
        cost: reply.cost,
        isElsewhere: reply.isElsewhere || undefined,
      },
      proceed: (headers) => this.#openReply({ status, statusMessage, reply, headers }),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase === "recording") {
      this.#backlog.push(chunk);
    } else if (this.#phase === "replying") {
      this.#write(chunk);
      if (this.#isClientBlocking) {
        controller.pause();
      }
    } else if (this.#phase === "reading-on") {
      this.#input.tap?.write(chunk);
    }
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#upstreamEnd = "complete";
    if (this.#sendsTrailers || this.#phase === "recording") {
      const { rawTrailers } = controller;
      this.#trailers = Array.isArray(rawTrailers) ? filterReplyTrailers(rawTrailers) : [];
    }
    this.#releasePermit();
    if (this.#phase === "replying") {
      this.#endReply();
    } else if (this.#phase === "reading-on") {
      this.#conclude();
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#upstreamEnd = "broken";
    const { pool, logger, requestId } = this.#input;
    switch (this.#phase) {
      case "waiting":
        if (this.#body?.failure !== undefined) {
          this.#fail(this.#body.failure);
          return;
        }
        pool.recordFailure(error);
        if (this.#canRetry(error)) {
          this.#isRetry = true;
          this.#isSent = false;
          this.#upstreamEnd = "open";
          this.#controller = undefined;
          // Not from inside undici's clean-up of the broken connection.
          queueMicrotask(() => this.#dispatch());
          return;
        }
        logger.warn(
          { err: error, requestId, upstream: pool.upstream.name },
          "the upstream gave no answer",
        );
        this.#fail("UPSTREAM_UNREACHABLE");
        return;
      case "replying":
        logger.warn(
          { err: error, requestId, upstream: pool.upstream.name },
          "the upstream broke off its answer",
        );
        this.#breakOff();
        return;
      case "reading-on":
        this.#conclude();
        return;
      default:
        this.#releasePermit();
    }
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    upstreamSocket: Duplex,
  ): void {
    const { upgrade } = this.#input;
    // Between the upgrade and the pipes nothing else listens for errors.
    upstreamSocket.on("error", () => undefined);
    if (this.#phase !== "waiting" || upgrade === undefined) {
      upstreamSocket.destroy();
      return;
    }
    this.#upstreamEnd = "complete";
    const reply = this.#readReplyHeaders(controller, status);
    this.#record({
      outcome: {
        kind: "status",
        status,
        upstreamMs: this.#upstreamMs(),
        isStream: true,
        cost: reply.cost,
      },
      proceed: (headers) =>
        this.#openTunnel({ upstreamSocket, upgrade, replyHeaders: [...reply.headers], headers }),
      otherwise: () => upstreamSocket.destroy(),
    });
  }

  #upstreamMs(): number {
    return this.#input.clock.monotonicMs() - this.#dispatchedAtMs;
  }

  #readReplyHeaders(controller: Dispatcher.DispatchController, status: number): ReplyHeaders {
    const { rawHeaders } = controller;
    return filterReplyHeaders({
      rawHeaders: Array.isArray(rawHeaders) ? rawHeaders : [],
      status,
      replaced: this.#input.extraResponseHeaders,
      costHeaderName: this.#input.costHeaderName,
    });
  }

  /** Reports the outcome to `onOutcome`, and calls `proceed` once it is recorded: at once, or when its promise settles. */
  #record(step: {
    outcome: CallOutcome;
    proceed: (headers: readonly HeaderPair[]) => void;
    otherwise?: () => void;
  }): void {
    this.#phase = "recording";
    this.#deadline.suspend();
    if (step.outcome.kind === "status") {
      this.#input.pool.recordAnswer();
    }
    const goOn = (reply: OutcomeReply): void => {
      try {
        if (reply?.instead !== undefined) {
          this.#handOver(reply.instead);
          return;
        }
        step.proceed(reply?.headers ?? []);
      } catch (error) {
        giveUp(error);
      }
    };
    const giveUp = (error: unknown): void => {
      const { logger, requestId } = this.#input;
      logger.error(
        { err: error, requestId },
        "the outcome of a call could not be recorded or its answer not be sent",
      );
      step.otherwise?.();
      this.#abortUpstream();
      this.#renderProblem({
        code: "INTERNAL_ERROR",
        status: 500,
        detail: "Something went wrong.",
        headers: [],
      });
      this.#conclude();
    };
    try {
      const pending = this.#input.onOutcome(step.outcome);
      if (pending instanceof Promise) {
        this.#controller?.pause();
        pending.then(goOn).catch(giveUp);
      } else {
        goOn(pending);
      }
    } catch (error) {
      giveUp(error);
    }
  }

  /** True once a byte of the body was taken from the client: the call cannot be sent again. */
  get hasTakenBody(): boolean {
    return (this.#body?.bytes ?? 0) > 0;
  }

  /** Leaves the client, which has nothing of an answer, to `next`. */
  #handOver(next: () => void): void {
    const { res } = this.#input;
    res.off("close", this.#onClientClose);
    res.off("drain", this.#onClientDrain);
    this.#phase = "done";
    this.#deadline.end();
    this.#backlog = [];
    this.#body?.destroy();
    this.#abortUpstream();
    this.#releasePermit();
    this.#resolveFinished({ requestBytes: this.#body?.bytes ?? 0, responseBytes: 0 });
    next();
  }

  #openReply(input: {
    status: number;
    statusMessage: string | undefined;
    reply: ReplyHeaders;
    headers: readonly HeaderPair[];
  }): void {
    const { req, res, pool, tap } = this.#input;
    tap?.start(toAnswerHead(input.status, input.reply.headers));
    if (this.#isClientGone && !this.#isCut && this.#canReadOn()) {
      for (const chunk of this.#backlog) {
        tap?.write(chunk);
      }
      this.#readOn();
      return;
    }
    if (this.#isClientGone || this.#upstreamEnd === "broken") {
      this.#abortUpstream();
      res.destroy();
      this.#conclude();
      return;
    }
    if (tap?.changesLength === true && input.reply.hasContentLength) {
      input.reply.headers.splice(-2);
      input.reply.hasContentLength = false;
    }
    const headers = addHeaders(input.reply.headers, input.headers);
    res.writeHead(input.status, toReasonPhrase(input.statusMessage), headers);
    this.#phase = "replying";
    this.#isEndedByClose = req.httpVersion === "1.0" && !input.reply.hasContentLength;
    this.#sendsTrailers =
      !input.reply.hasContentLength &&
      req.httpVersion === "1.1" &&
      (req.headers["te"] ?? "").includes("trailers");
    this.#deadline.set(pool.upstream.timeouts.idleMs);
    for (const chunk of this.#backlog) {
      this.#write(chunk);
    }
    this.#backlog = [];
    if (this.#upstreamEnd === "complete") {
      this.#endReply();
      return;
    }
    if (!this.#isClientBlocking) {
      this.#controller?.resume();
    }
    // A first event may take long, so the client gets the status now. Short answers are over by then.
    queueMicrotask(() => {
      if (this.#phase === "replying" && this.#responseBytes === 0) {
        // Not flushHeaders(), which writes the head as UTF-8 and so changes bytes beyond ASCII.
        res.write("", "latin1");
      }
    });
  }

  #openTunnel(input: {
    upstreamSocket: Duplex;
    upgrade: RawConnection;
    replyHeaders: string[];
    headers: readonly HeaderPair[];
  }): void {
    const { upstreamSocket, upgrade } = input;
    const { res, pool } = this.#input;
    if (this.#isClientGone) {
      upstreamSocket.destroy();
      this.#conclude();
      return;
    }
    res.off("close", this.#onClientClose);
    res.detachSocket(upgrade.socket);
    this.#phase = "done";
    this.#deadline.end();
    this.#closeTunnel = () => {
      upgrade.socket.destroy();
      upstreamSocket.destroy();
    };
    writeUpgradeHead(upgrade.socket, addHeaders(input.replyHeaders, input.headers));
    joinSockets({
      client: upgrade.socket,
      upstream: upstreamSocket,
      head: upgrade.head,
      idleMs: pool.upstream.timeouts.idleMs,
      onClose: (traffic) => {
        this.#releasePermit();
        this.#resolveFinished(traffic);
      },
    });
  }

  #write(received: Buffer): void {
    const chunk = this.#input.tap?.write(received) ?? received;
    this.#responseBytes += chunk.length;
    if (this.#input.res.write(chunk)) {
      this.#deadline.set(this.#input.pool.upstream.timeouts.idleMs);
    } else {
      this.#isClientBlocking = true;
      this.#deadline.set(this.#input.limits.clientIdleMs);
    }
  }

  readonly #onClientDrain = (): void => {
    this.#isClientBlocking = false;
    if (this.#phase === "replying") {
      this.#deadline.set(this.#input.pool.upstream.timeouts.idleMs);
      this.#controller?.resume();
    }
  };

  #endReply(): void {
    const { res, limits } = this.#input;
    if (this.#sendsTrailers && this.#trailers.length > 0) {
      res.addTrailers(this.#trailers.map(([name, value]): [string, string] => [name, value]));
    }
    const rest = this.#input.tap?.end(true);
    if (rest !== undefined && rest.length > 0) {
      this.#responseBytes += rest.length;
      res.write(rest);
    }
    this.#phase = "done";
    this.#body?.destroy();
    res.end();
    if (!this.#isClientGone) {
      // The last bytes may still be in our buffer, and a client that never reads them must not hold them there.
      this.#deadline.set(limits.clientIdleMs);
    }
  }

  #fail(code: TransportFailureCode | "CLIENT_ABORTED"): void {
    if (this.#phase === "waiting") {
      const failure = code === "CLIENT_ABORTED" ? undefined : { code, ...FAILURE_STATUS[code] };
      this.#endWaiting({ kind: "failed", code }, failure);
    }
  }

  /** Ends a call that got no status line. @param failure - Undefined when its client has left. */
  #endWaiting(outcome: CallOutcome, failure: RevokedRights | undefined): void {
    this.#record({
      outcome,
      proceed: (headers) => {
        if (failure !== undefined) {
          const retryAfter: readonly HeaderPair[] = RETRIED_SOON.has(failure.code)
            ? [["Retry-After", "1"]]
            : [];
          const { extraResponseHeaders } = this.#input;
          this.#renderProblem({
            ...failure,
            headers: [...retryAfter, ...extraResponseHeaders, ...headers],
          });
        }
        this.#conclude();
      },
    });
  }

  /** Abandons an answer under way: the client must see a broken connection, never a clean end. */
  #breakOff(): void {
    const { req, res } = this.#input;
    if (this.#isEndedByClose) {
      // HTTP/1.0 takes a closed connection for the end of the body; a reset cannot be mistaken.
      req.socket.resetAndDestroy();
    }
    res.destroy();
    this.#conclude();
  }

  /** Ends our side of the call, which is finished once the client's side is closed as well. */
  #conclude(): void {
    this.#input.tap?.end(this.#upstreamEnd === "complete");
    this.#phase = "done";
    this.#deadline.end();
    this.#backlog = [];
    this.#body?.destroy();
    if (this.#holdsPermit && this.#upstreamEnd === "open") {
      this.#abortUpstream();
    }
    this.#releasePermit();
    if (this.#isClientGone) {
      this.#finish();
    }
  }

  readonly #onClientClose = (): void => {
    this.#isClientGone = true;
    switch (this.#phase) {
      case "replying":
        if (this.#canReadOn()) {
          this.#readOn();
          break;
        }
        this.#abortUpstream();
        this.#conclude();
        break;
      case "reading-on":
        break;
      case "done":
        this.#finish();
        break;
      default:
      // The upstream is already working on the call, so its outcome counts: aborting must not make it free.
    }
  };

  #canReadOn(): boolean {
    return (this.#input.tap?.readOnMs ?? 0) > 0 && this.#upstreamEnd !== "broken";
  }

  /** Reads what is left of the answer for its tap, for a bounded time. The call keeps its permits until then. */
  #readOn(): void {
    this.#phase = "reading-on";
    this.#backlog = [];
    if (this.#upstreamEnd === "complete") {
      this.#conclude();
      return;
    }
    this.#deadline.set(this.#input.tap?.readOnMs ?? 0);
    this.#controller?.resume();
  }

  #finish(): void {
    this.#deadline.end();
    this.#resolveFinished({
      requestBytes: this.#body?.bytes ?? this.#input.heldBody?.length ?? 0,
      responseBytes: this.#responseBytes,
    });
  }

  #abortUpstream(): void {
    if (this.#upstreamEnd === "open") {
      this.#upstreamEnd = "broken";
      this.#controller?.abort(new Error("The gateway dropped the call"));
    }
  }

  #releasePermit(): void {
    if (this.#holdsPermit) {
      this.#holdsPermit = false;
      this.#input.pool.release(this.#input.permitUse);
      this.#input.permits?.releaseUpstream();
    }
  }

  #renderProblem(problem: Omit<ProxyProblem, "requestId">): void {
    const { res, renderProblem, requestId, pool } = this.#input;
    if (res.headersSent || res.destroyed) {
      res.destroy();
    } else {
      renderProblem(res, { ...problem, requestId }, pool.upstream);
    }
  }

  /**
   * Once, and only what RFC 9110 section 9.2.2 allows: a safe method without a body, on a connection that had served
   * before and was closed under us before a byte of an answer. A keep-alive connection that the upstream times out at
   * the very moment we use it looks like that; a new connection that dies does not.
   */
  #canRetry(error: Error): boolean {
    const { req, upgrade } = this.#input;
    const isSafe = req.method === "GET" || req.method === "HEAD" || req.method === "OPTIONS";
    return (
      isSafe &&
      !this.#isRetry &&
      this.#body === undefined &&
      upgrade === undefined &&
      !this.#isClientGone &&
      this.#interimResponses === 0 &&
      bytesReadBefore(error) > 0
    );
  }

  readonly #onTimeout = (): void => {
    const { logger, requestId, pool, res } = this.#input;
    switch (this.#phase) {
      case "waiting":
        if (this.#body?.isWaitingOnClient === true) {
          this.#deadline.renew();
          return;
        }
        this.#fail("UPSTREAM_TIMEOUT");
        return;
      case "replying":
        logger.warn(
          {
            requestId,
            upstream: pool.upstream.name,
            side: this.#isClientBlocking ? "client" : "upstream",
          },
          "an answer stood still for too long",
        );
        this.#abortUpstream();
        this.#breakOff();
        return;
      case "reading-on":
        this.#abortUpstream();
        this.#conclude();
        return;
      default:
        res.destroy();
    }
  };
}

function toAnswerHead(status: number, headers: readonly string[]) {
  const find = (name: string): string => {
    const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
    return at === -1 ? "" : (headers[at + 1] ?? "");
  };
  return {
    status,
    contentType: find("content-type"),
    contentEncoding: find("content-encoding"),
  };
}

function addHeaders(headers: string[], added: readonly HeaderPair[]): string[] {
  for (const [name, value] of added) {
    headers.push(name, value);
  }
  return headers;
}

/** The upstream's reason phrase, byte for byte; none when it holds what a status line may not. */
function toReasonPhrase(statusMessage: string | undefined): string {
  return statusMessage !== undefined && /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage)
    ? statusMessage
    : "";
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
