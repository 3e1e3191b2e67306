import { createSecretKey } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TrustedProxies } from "#platform/client-address.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { UpstreamPermits } from "../decide/limits/call-permits.ts";
import type { AnswerTap } from "./answer-tap.ts";
import type { CallOutcome, OutcomeReply, RenderProblem } from "./call-outcome.ts";
import {
  buildForwardHeaders,
  type CallOrigin,
  findCallOrigin,
  type HeaderPair,
} from "./forward-headers.ts";
import { ProxyCall } from "./proxy-call.ts";
import type { ProxyCallLimits } from "./proxy-call-input.ts";
import type { RawConnection } from "./raw-response.ts";
import { SIGNATURE_HEADER, signRequest } from "./sign-request.ts";
import { type PermitUse, type ShareUpstream, UpstreamPool } from "./upstream-pool.ts";
import type { Upstream } from "./upstream-router.ts";

/** An admitted call on its way to its upstream. */
export type ForwardedCall = {
  /** Passed `inspectRequest`. Its body must not have been touched. */
  req: IncomingMessage;
  /** One of the upstreams the proxy was made with. */
  upstream: Upstream;
  /** From `pickUpstream`: the request target as the upstream gets it. */
  rawTarget: string;
  /** Whose share of the upstream's permits it takes. */
  permitUse: PermitUse;
  /** What the cluster says of the upstream, whose permits are taken here as well. Left out: this process alone decides. */
  permits?: UpstreamPermits | undefined;
  /** Lower-case names of the headers that carried the key; they end here. */
  keyHeaderNames: readonly string[];
  /** What the gateway says about the call: `X-Turnpike-Tenant`, `-Key`, `-Plan`, `-Scopes` and the like. */
  identityHeaders: readonly HeaderPair[];
  requestId: string;
  /** From `findCallOrigin`, when the caller already has it. */
  origin?: CallOrigin | undefined;
  /**
   * Called exactly once, at the upstream's status line or when it is clear that none comes, and before the client has a
   * byte. Only a promise holds the answer. It is called even when the client has left. A rejection answers 500.
   */
  onOutcome: (outcome: CallOutcome) => OutcomeReply | Promise<OutcomeReply>;
  /** The body, when it was read before the call was sent; it may differ from what the client sent. */
  heldBody?: Buffer | undefined;
  tap?: AnswerTap | undefined;
  /** Added to every answer, the upstream's and ours; each replaces the upstream's of the same name. */
  extraResponseHeaders?: readonly HeaderPair[] | undefined;
};

/** A call that was sent; see {@link ProxyCall}. */
export type SentCall = Pick<ProxyCall, "finished" | "cut" | "hasTakenBody">;

export type GatewayProxy = {
  /** Sends a call and streams the answer. @throws {AppError} `OVERLOADED`; then it was not sent. */
  forward(call: ForwardedCall & { res: ServerResponse }): SentCall;
  /** The same for a request to become a WebSocket, on the raw connection. The outcome of success is status 101. */
  upgrade(call: ForwardedCall & { res: ServerResponse; raw: RawConnection }): SentCall;
  /** Calls under way, by upstream name. */
  activeCalls(): ReadonlyMap<string, number>;
  /** Lets calls under way finish for at most `graceMs`, closes WebSockets, then closes every connection. */
  close(graceMs: number): Promise<void>;
};

export type ProxyOptions = {
  upstreams: readonly Upstream[];
  /** Our name in `Via`, the one that `inspectRequest` searches for. */
  viaPseudonym: string;
  trustedProxies: TrustedProxies;
  renderProblem: RenderProblem;
  logger: Logger;
  clock: Clock;
  /** Key of `X-Turnpike-Signature`; `undefined` sends none. */
  signingSecret: string | undefined;
  limits?: Partial<ProxyCallLimits> | undefined;
  /** With several threads: what they share of the upstream at `index` of {@link ProxyOptions.upstreams}. */
  shareUpstream?: ((index: number) => ShareUpstream) | undefined;
};

/** Lower case; an upstream may report what a call cost in it. */
export const COST_HEADER = "x-turnpike-cost";

/** A slow mobile network still sends a hundred times as much per second. */
export const LIMITS_DEFAULT: ProxyCallLimits = {
  clientIdleMs: 60_000,
  minUploadBytesPerSecond: 100,
};

/** Makes the transport of the gateway, which knows no keys, no tenants and no ledger. */
export function createProxy(options: ProxyOptions): GatewayProxy {
  const { viaPseudonym, trustedProxies, renderProblem, logger, clock } = options;
  const limits = { ...LIMITS_DEFAULT, ...options.limits };
  const secret =
    options.signingSecret === undefined
      ? undefined
      : createSecretKey(options.signingSecret, "utf8");
  const pools = new Map(
    options.upstreams.map((upstream, index) => [
      upstream,
      new UpstreamPool({
        upstream,
        clock,
        share: options.shareUpstream?.(index),
      }),
    ]),
  );
  const tunnels = new Set<Socket>();

  function toGatewayHeaders(call: ForwardedCall): readonly HeaderPair[] {
    if (secret === undefined) {
      return call.identityHeaders;
    }
    const signature = signRequest({
      secret,
      unixSeconds: Math.floor(clock.now().getTime() / 1000),
      request: {
        method: call.req.method ?? "GET",
        rawTarget: call.rawTarget,
        requestId: call.requestId,
        gatewayHeaders: call.identityHeaders,
      },
    });
    return [...call.identityHeaders, [SIGNATURE_HEADER, signature]];
  }

  function start(
    call: ForwardedCall,
    client: { res: ServerResponse; upgrade: RawConnection | undefined },
  ): SentCall {
    const pool = pools.get(call.upstream);
    if (pool === undefined) {
      throw new RangeError(`The proxy was not made with an upstream "${call.upstream.name}"`);
    }
    const proxyCall = new ProxyCall({
      req: call.req,
      ...client,
      pool,
      permitUse: call.permitUse,
      permits: call.permits,
      rawTarget: call.rawTarget,
      headers: toHeadersOfHeld(call.heldBody, {
        req: call.req,
        origin: call.origin ?? findCallOrigin(call.req, trustedProxies),
        keyHeaderNames: call.keyHeaderNames,
        upstreamHost: call.upstream.hostHeader,
        preserveHost: call.upstream.preserveHost,
        viaPseudonym,
        requestId: call.requestId,
        gatewayHeaders: toGatewayHeaders(call),
      }),
      requestId: call.requestId,
      heldBody: call.heldBody,
      tap: call.tap,
      onOutcome: call.onOutcome,
      extraResponseHeaders: call.extraResponseHeaders ?? [],
      limits,
      costHeaderName: COST_HEADER,
      renderProblem,
      logger,
      clock,
    });
    proxyCall.run();
    return proxyCall;
  }

  return {
    forward: (call) => start(call, { res: call.res, upgrade: undefined }),
    upgrade(call) {
      const { res, raw } = call;
      tunnels.add(raw.socket);
      raw.socket.once("close", () => tunnels.delete(raw.socket));
      return start(call, { res, upgrade: raw });
    },
    activeCalls: () =>
      new Map([...pools.values()].map((pool) => [pool.upstream.name, pool.active])),
    async close(graceMs) {
      const timer = setTimeout(() => closeAll(tunnels), graceMs);
      try {
        await Promise.all([...pools.values()].map((pool) => pool.close(graceMs)));
      } finally {
        clearTimeout(timer);
        closeAll(tunnels);
      }
    },
  };
}

/** A body that is held has the length that it has, and its answer must be readable: the upstream may not compress it. */
function toHeadersOfHeld(
  heldBody: Buffer | undefined,
  input: Parameters<typeof buildForwardHeaders>[0],
): string[] {
  const headers = buildForwardHeaders(input);
  if (heldBody === undefined) {
    return headers;
  }
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = "", value = ""] = headers.slice(i, i + 2);
    const lowerCase = name.toLowerCase();
    if (lowerCase !== "content-length" && lowerCase !== "accept-encoding") {
      kept.push(name, value);
    }
  }
  return [...kept, "Content-Length", String(heldBody.length), "Accept-Encoding", "identity"];
}

function closeAll(sockets: Set<Socket>): void {
  for (const socket of sockets) {
    socket.destroy();
  }
}
