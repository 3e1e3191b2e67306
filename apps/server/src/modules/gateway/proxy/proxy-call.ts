import type { Duplex } from "node:stream";
import { MovingDeadline } from "#platform/moving-deadline.ts";
import {
  type CallOutcome,
  type CallTraffic,
  FAILURE_STATUS,
  type OutcomeReply,
  type RevokedRights,
  type TransportFailureCode,
} from "./call-outcome.ts";
import { ClientReply, type ReplyStart } from "./client-reply.ts";
import type { HeaderPair, ReplyHeaders } from "./forward-headers.ts";
import type { ProxyCallInput } from "./proxy-call-input.ts";
import { addHeaders, toAnswerHead } from "./reply-head.ts";
import { contentLengthOf, hasRequestBody, RequestBody } from "./request-body.ts";
import { joinSockets, writeUpgradeHead } from "./upgraded-connection.ts";
import { type UpstreamListener, UpstreamRequest } from "./upstream-request.ts";

/** Failures that end as soon as a call that is under way does. */
const RETRIED_SOON: ReadonlySet<string> = new Set(["OVERLOADED", "CONCURRENCY_LIMITED"]);

/** What follows once an outcome is recorded. */
type RecordStep = {
  outcome: CallOutcome;
  proceed: (headers: readonly HeaderPair[]) => void;
  otherwise?: () => void;
};

/**
 * One call on its way through the gateway: `waiting` for the upstream's status line, `recording` while the outcome is
 * recorded, `replying` while the answer streams, `reading-on` while it is read for its tap alone because the client has left, `done`
 * when the upstream is finished with it.
 */
export class ProxyCall implements UpstreamListener {
  readonly #input: ProxyCallInput;
  readonly #upstream: UpstreamRequest;
  readonly #client: ClientReply;
  readonly #body: RequestBody | undefined;
  /** Settles when both sides are finished with the call; never rejects. */
  readonly finished: Promise<CallTraffic>;
  #resolveFinished: ((traffic: CallTraffic) => void) | undefined;
  #phase: "waiting" | "recording" | "replying" | "reading-on" | "done" = "waiting";
  /** What arrived while the outcome was being recorded. */
  #backlog: Buffer[] = [];
  #isCut = false;
  #closeTunnel: (() => void) | undefined;
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
    this.#upstream = new UpstreamRequest(input, this);
    this.#client = new ClientReply(input, this.#deadline);
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
      this.#client.isGone = true;
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
    const verdict = this.#upstream.tryAcquire();
    switch (verdict) {
      case "taken":
        this.#dispatch();
        return;
      case "over-share":
        this.#fail("CONCURRENCY_LIMITED");
        return;
      case "full":
        this.#fail("OVERLOADED");
        return;
      default:
        verdict satisfies never;
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
        this.#endWaiting({ kind: "cut", code: rights.code, isSent: this.#upstream.isSent }, rights);
        return;
      case "recording":
        // What follows finds its client gone.
        this.#client.isGone = true;
        res.destroy();
        return;
      case "replying":
      case "reading-on":
        this.#upstream.abort();
        this.#breakOff();
        return;
      default:
        this.#closeTunnel?.();
        res.destroy();
    }
  }

  #dispatch(): void {
    const { connectMs, headersMs } = this.#input.pool.upstream.timeouts;
    this.#deadline.set(connectMs + headersMs);
    this.#upstream.dispatch(this.#body);
  }

  get isWaiting(): boolean {
    return this.#phase === "waiting";
  }

  onConnected(): void {
    this.#deadline.set(this.#input.pool.upstream.timeouts.headersMs);
  }

  onProgress(): void {
    if (this.#phase === "waiting") {
      this.#deadline.renew();
    }
  }

  onStatus(status: number, statusMessage: string | undefined, reply: ReplyHeaders): void {
    this.#record({
      outcome: {
        kind: "status",
        status,
        upstreamMs: this.#upstream.elapsedMs(),
        isStream: reply.isStream,
        cost: reply.cost,
        isElsewhere: reply.isElsewhere || undefined,
      },
      proceed: (headers) => this.#openReply({ status, statusMessage, reply, headers }),
    });
  }

  onChunk(chunk: Buffer): void {
    if (this.#phase === "recording") {
      this.#backlog.push(chunk);
    } else if (this.#phase === "replying") {
      this.#client.write(chunk);
      if (this.#client.isBlocking) {
        this.#upstream.pause();
      }
    } else if (this.#phase === "reading-on") {
      this.#input.tap?.write(chunk);
    }
  }

  get wantsTrailers(): boolean {
    return this.#client.sendsTrailers || this.#phase === "recording";
  }

  onEnd(): void {
    if (this.#phase === "replying") {
      this.#endReply();
    } else if (this.#phase === "reading-on") {
      this.#conclude();
    }
  }

  onBroken(error: Error): void {
    const { pool, logger, requestId } = this.#input;
    switch (this.#phase) {
      case "waiting":
        if (this.#body?.failure !== undefined) {
          this.#fail(this.#body.failure);
          return;
        }
        pool.recordFailure(error);
        if (!this.#client.isGone && this.#upstream.canRetry(error, this.#body)) {
          this.#upstream.prepareRetry();
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
        this.#upstream.releasePermit();
    }
  }

  onUpgrade(status: number, reply: ReplyHeaders, upstreamSocket: Duplex): void {
    this.#record({
      outcome: {
        kind: "status",
        status,
        upstreamMs: this.#upstream.elapsedMs(),
        isStream: true,
        cost: reply.cost,
      },
      proceed: (headers) => this.#openTunnel(upstreamSocket, { reply, headers }),
      otherwise: () => upstreamSocket.destroy(),
    });
  }

  /** Reports the outcome to `onOutcome`, and calls `proceed` once it is recorded: at once, or when its promise settles. */
  #record(step: RecordStep): void {
    this.#phase = "recording";
    this.#deadline.suspend();
    if (step.outcome.kind === "status") {
      this.#input.pool.recordAnswer();
    }
    try {
      const pending = this.#input.onOutcome(step.outcome);
      if (pending instanceof Promise) {
        this.#upstream.pause();
        pending
          .then((reply) => this.#afterRecord(step, reply))
          .catch((error: unknown) => this.#giveUp(step, error));
      } else {
        this.#afterRecord(step, pending);
      }
    } catch (error) {
      this.#giveUp(step, error);
    }
  }

  #afterRecord(step: RecordStep, reply: OutcomeReply): void {
    try {
      if (reply?.instead !== undefined) {
        this.#handOver(reply.instead);
        return;
      }
      step.proceed(reply?.headers ?? []);
    } catch (error) {
      this.#giveUp(step, error);
    }
  }

  #giveUp(step: RecordStep, error: unknown): void {
    const { logger, requestId } = this.#input;
    logger.error(
      { err: error, requestId },
      "the outcome of a call could not be recorded or its answer not be sent",
    );
    step.otherwise?.();
    this.#upstream.abort();
    this.#client.renderProblem({
      code: "INTERNAL_ERROR",
      status: 500,
      detail: "Something went wrong.",
      headers: [],
    });
    this.#conclude();
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
    this.#upstream.abort();
    this.#upstream.releasePermit();
    this.#resolveFinished?.({ requestBytes: this.#body?.bytes ?? 0, responseBytes: 0 });
    next();
  }

  #openReply(start: ReplyStart): void {
    const { res, pool, tap } = this.#input;
    tap?.start(toAnswerHead(start.status, start.reply.headers));
    if (this.#client.isGone && !this.#isCut && this.#canReadOn()) {
      for (const chunk of this.#backlog) {
        tap?.write(chunk);
      }
      this.#readOn();
      return;
    }
    if (this.#client.isGone || this.#upstream.answer === "broken") {
      this.#upstream.abort();
      res.destroy();
      this.#conclude();
      return;
    }
    this.#client.writeHead(start);
    this.#phase = "replying";
    this.#deadline.set(pool.upstream.timeouts.idleMs);
    for (const chunk of this.#backlog) {
      this.#client.write(chunk);
    }
    this.#backlog = [];
    if (this.#upstream.answer === "complete") {
      this.#endReply();
      return;
    }
    if (!this.#client.isBlocking) {
      this.#upstream.resume();
    }
    // A first event may take long, so the client gets the status now. Short answers are over by then.
    queueMicrotask(() => {
      if (this.#phase === "replying") {
        this.#client.flushHead();
      }
    });
  }

  #openTunnel(
    upstreamSocket: Duplex,
    { reply, headers }: { reply: ReplyHeaders; headers: readonly HeaderPair[] },
  ): void {
    const { res, pool, upgrade } = this.#input;
    if (this.#client.isGone || upgrade === undefined) {
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
    writeUpgradeHead(upgrade.socket, addHeaders(reply.headers, headers));
    joinSockets({
      client: upgrade.socket,
      upstream: upstreamSocket,
      head: upgrade.head,
      idleMs: pool.upstream.timeouts.idleMs,
      onClose: (traffic) => {
        this.#upstream.releasePermit();
        this.#resolveFinished?.(traffic);
      },
    });
  }

  readonly #onClientDrain = (): void => {
    this.#client.isBlocking = false;
    if (this.#phase === "replying") {
      this.#deadline.set(this.#input.pool.upstream.timeouts.idleMs);
      this.#upstream.resume();
    }
  };

  #endReply(): void {
    this.#client.writeEnd(this.#upstream.trailers);
    this.#phase = "done";
    this.#body?.destroy();
    this.#client.end();
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
          this.#client.renderProblem({
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
    this.#client.breakOff();
    this.#conclude();
  }

  /** Ends our side of the call, which is finished once the client's side is closed as well. */
  #conclude(): void {
    this.#input.tap?.end(this.#upstream.answer === "complete");
    this.#phase = "done";
    this.#deadline.end();
    this.#backlog = [];
    this.#body?.destroy();
    this.#upstream.conclude();
    if (this.#client.isGone) {
      this.#finish();
    }
  }

  readonly #onClientClose = (): void => {
    this.#client.isGone = true;
    switch (this.#phase) {
      case "replying":
        if (this.#canReadOn()) {
          this.#readOn();
          break;
        }
        this.#upstream.abort();
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
    return (this.#input.tap?.readOnMs ?? 0) > 0 && this.#upstream.answer !== "broken";
  }

  /** Reads what is left of the answer for its tap, for a bounded time. The call keeps its permits until then. */
  #readOn(): void {
    this.#phase = "reading-on";
    this.#backlog = [];
    if (this.#upstream.answer === "complete") {
      this.#conclude();
      return;
    }
    this.#deadline.set(this.#input.tap?.readOnMs ?? 0);
    this.#upstream.resume();
  }

  #finish(): void {
    this.#deadline.end();
    this.#resolveFinished?.({
      requestBytes: this.#body?.bytes ?? this.#input.heldBody?.length ?? 0,
      responseBytes: this.#client.bytes,
    });
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
            side: this.#client.isBlocking ? "client" : "upstream",
          },
          "an answer stood still for too long",
        );
        this.#upstream.abort();
        this.#breakOff();
        return;
      case "reading-on":
        this.#upstream.abort();
        this.#conclude();
        return;
      default:
        res.destroy();
    }
  };
}
