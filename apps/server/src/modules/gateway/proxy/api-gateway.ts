import type { IncomingMessage, ServerResponse } from "node:http";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { ErrorCode } from "@turnpike/domain/errors/error-codes";
import type { NewId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { toCallMethod } from "@turnpike/domain/metering/call-method";
import { type ProblemRenderer, sendProblem, toAppError } from "#http/problem-details.ts";
import { hashKey } from "#modules/keys/index.ts";
import type { MeteredCall } from "#modules/metering/index.ts";
import { parseTrustedProxies } from "#platform/client-address.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import {
  type CellForwarder,
  createCellForwarder,
  type OtherCells,
} from "../cells/forward-to-cell.ts";
import {
  type ForwardingFacts,
  MARKER_HEADER_LOWER,
  readMarker,
} from "../cells/forwarding-marker.ts";
import { restoreRequest } from "../cells/restore-request.ts";
import type { CallPermits } from "../decide/call-permits.ts";
import type { CalledUpstream, CallToDecide } from "../decide/call-to-decide.ts";
import {
  type Admission,
  type DecideCall,
  type Decision,
  mayBeKnown,
} from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import { DENIAL_HEADERS, toChallenge, toDenialError } from "../denial-error.ts";
import { API_KEY_HEADER, findKey, isPreflight } from "../find-key.ts";
import { NO_IDENTITY, toIdentityHeaders } from "../identity-headers.ts";
import { toLimitHeaders } from "../limit-headers.ts";
import { measureCall } from "../measure-call.ts";
import {
  type AdmittedOutcome,
  assertRecordable,
  type CallRecorder,
  type CallTarget,
  type WhenDurable,
} from "../record-call.ts";
import { type AdmitTokensDeps, admitTokens } from "../tokens/admit-tokens.ts";
import { toProtocolError } from "../tokens/protocol-error.ts";
import type { TokenCall } from "../tokens/token-call.ts";
import type { TokenProtocolName } from "../tokens/token-protocols.ts";
import { compileTokenRules, type TokenRoute, type TokenRules } from "../tokens/token-rules.ts";
import {
  type CallOutcome,
  type CallTraffic,
  FAILURE_STATUS,
  type OutcomeReply,
  type RenderProblem,
} from "./call-outcome.ts";
import {
  createProxy,
  type ForwardedCall,
  type GatewayProxy,
  LIMITS_DEFAULT,
  type ProxyOptions,
  type SentCall,
} from "./create-proxy.ts";
import { ELSEWHERE_HEADER, findCallOrigin, type HeaderPair } from "./forward-headers.ts";
import { createGatewayServer, type GatewayServer } from "./gateway-server.ts";
import type { OpenCall, OpenCalls } from "./open-calls.ts";
import type { RawConnection } from "./raw-response.ts";
import { hasRequestBody } from "./request-body.ts";
import { inspectRequest } from "./request-gate.ts";
import { createUpstreamHealth, type UpstreamHealth } from "./upstream-health.ts";
import { pickUpstream, type UpstreamRouter } from "./upstream-router.ts";

export type ApiGatewayOptions = {
  router: UpstreamRouter;
  /** CIDRs of the proxies whose forwarded addresses are trusted. */
  trustedProxies: readonly string[];
  /** Names this installation in `Via`, so that a call which comes back is seen. */
  instanceName: string;
  signingSecret: string;
  maxConnections: number;
  /** Address of the plans, shown in denials. */
  plansUrl: string;
  /** Origin of pages of ours that send calls: those of the reference. Left out: there are none. */
  pagesOrigin?: string | undefined;
  /** The other cells, whose keys may be used here. Left out: there are none. */
  cells?: OtherCells | undefined;
  /** Where several threads serve; see {@link ProxyOptions}. */
  shareUpstream?: ProxyOptions["shareUpstream"];
};

export type ApiGatewayDeps = {
  decideCall: DecideCall;
  callRecorder: CallRecorder;
  openCalls: Pick<OpenCalls, "add" | "delete">;
  whenDurable?: WhenDurable;
  /** Takes the permits of a preflight at its upstream in the cluster. Left out: this process alone decides. */
  takePreflight?: ((upstream: CalledUpstream) => Promise<CallPermits>) | undefined;
  /** Forgets that a key and its tenant are not here, which was true until a moment ago. */
  forgetUnknown?: ((keyHash: string, tenantId: TenantId) => void) | undefined;
  renderProblem: ProblemRenderer;
  newId: NewId;
  clock: Clock;
  logger: Logger;
};

export type ApiGateway = {
  server: GatewayServer;
  proxy: GatewayProxy;
  upstreamHealth: UpstreamHealth;
};

/** The one path on the listener for programs that is ours; every other goes to the upstream. */
const WELL_KNOWN = "/.well-known/turnpike";

/**
 * A customer can end the rights of its own key, so what the upstream is working on is billed: else it could be had free. A
 * gateway that is out of touch is no doing of the customer.
 */
function toAdmittedOutcome(outcome: CallOutcome): AdmittedOutcome {
  return outcome.kind === "status"
    ? { kind: "status", status: outcome.status }
    : {
        kind: "failed",
        code: outcome.code,
        isBilled: outcome.kind === "cut" && outcome.isSent && outcome.code !== "LIMITS_UNAVAILABLE",
      };
}

/**
 * Makes the listener for programs: gate, key, limits, upstream, metering. A call is recorded at its upstream's status line,
 * before the client has a byte of the answer, and a failure to decide never lets a call through.
 */
export function createApiGateway(deps: ApiGatewayDeps, options: ApiGatewayOptions): ApiGateway {
  const trustedProxies = parseTrustedProxies(options.trustedProxies);
  const { router } = options;
  /** On answers to pages of ours. */
  const ownPageHeaders: readonly HeaderPair[] =
    options.pagesOrigin === undefined
      ? []
      : [
          ["Access-Control-Allow-Origin", options.pagesOrigin],
          ["Access-Control-Expose-Headers", "*"],
        ];

  const renderProxyProblem: RenderProblem = (res, problem, upstream) => {
    const error = new AppError({
      code: problem.code,
      publicMessage: problem.detail,
      // In lower case like our own headers, so that none is sent twice.
      headers: {
        ...toChallenge(problem.code),
        ...Object.fromEntries(problem.headers.map(([name, value]) => [name.toLowerCase(), value])),
      },
    });
    const rendered = deps.renderProblem(error, problem.requestId);
    sendProblem(res, toProtocolError(upstream.tokens?.protocol, rendered), DENIAL_HEADERS);
  };

  const rulesOf = new Map(
    router.upstreams.flatMap((upstream) =>
      upstream.tokens === undefined ? [] : [[upstream, compileTokenRules(upstream.tokens)]],
    ),
  );
  const tokenDeps: AdmitTokensDeps = { ...deps, limits: LIMITS_DEFAULT, memory: { held: 0 } };

  const upstreamHealth = createUpstreamHealth({
    upstreams: router.upstreams,
    monotonicMs: deps.clock.monotonicMs,
  });

  const proxy = createProxy({
    upstreams: router.upstreams,
    viaPseudonym: options.instanceName,
    trustedProxies,
    renderProblem: renderProxyProblem,
    logger: deps.logger,
    clock: deps.clock,
    signingSecret: options.signingSecret,
    shareUpstream: options.shareUpstream,
  });

  const forwarder: CellForwarder | undefined =
    options.cells &&
    createCellForwarder({
      ...deps,
      cells: options.cells,
      viaPseudonym: options.instanceName,
      trustedProxies,
      renderProblem: renderProxyProblem,
    });

  /** The client's side of a call; `raw` is set for a WebSocket handshake. */
  type Client = { res: ServerResponse; raw: RawConnection | undefined };

  /** Never throws: it is the last resort for a call, and a fault here must not end the process and every other call. */
  function refuse(
    { res }: Client,
    requestId: string,
    error: unknown,
    protocol?: TokenProtocolName,
  ): void {
    try {
      const failure = toAppError(error);
      if (failure.code === "INTERNAL_ERROR") {
        deps.logger.error({ err: error, requestId }, "A call could not be decided");
      }
      const problem = deps.renderProblem(failure, requestId);
      sendProblem(res, toProtocolError(protocol, problem), DENIAL_HEADERS);
    } catch (fault) {
      deps.logger.error({ err: fault, requestId }, "A call could not be refused");
      res.destroy();
    }
  }

  function refuseWith(code: ErrorCode, detail: string, headers: Record<string, string> = {}) {
    return new AppError({ code, publicMessage: detail, headers });
  }

  function send({ res, raw }: Client, call: ForwardedCall): SentCall {
    const onOutcome = (outcome: CallOutcome) => {
      upstreamHealth.record(call.upstream, outcome);
      return call.onOutcome(outcome);
    };
    return raw === undefined
      ? proxy.forward({ ...call, res, onOutcome })
      : proxy.upgrade({ ...call, res, raw, onOutcome });
  }

  /** A preflight needs no key: only its upstream's permits bound it. */
  function sendPreflight(client: Client, call: Parameters<typeof sendMetered>[1]): void {
    const sendWith = (permits: CallPermits | undefined) =>
      send(client, {
        ...call,
        permitUse: "preflight",
        permits,
        identityHeaders: NO_IDENTITY,
        onOutcome: () => undefined,
      });
    if (deps.takePreflight === undefined) {
      sendWith(undefined);
      return;
    }
    void deps
      .takePreflight(call.upstream)
      .then(async (permits) => {
        try {
          await sendWith(permits).finished;
        } finally {
          permits.release();
        }
      })
      .catch((error: unknown) => refuse(client, call.requestId, error));
  }

  /** Sends an admitted call, records its outcome before the client has a byte, and its measurements when it is over. */
  function sendMetered(
    client: Client,
    call: Omit<ForwardedCall, "onOutcome" | "identityHeaders" | "permitUse" | "permits">,
    metering: {
      admission: Admission;
      target: CallTarget;
      startedAtMs: number;
      findAddress: OpenCall["findAddress"];
      decided: "at-once" | "waited";
      tokens?: TokenCall | undefined;
    },
  ): void {
    const { admission, target, startedAtMs, findAddress, decided, tokens } = metering;
    let recordedCall: { call: MeteredCall; outcome: CallOutcome; outcomeAtMs: number } | undefined;
    let isRecorded = false;
    const onOutcome = (outcome: CallOutcome): OutcomeReply | Promise<OutcomeReply> => {
      isRecorded = true;
      const recorded = toAdmittedOutcome(outcome);
      if (recorded.kind === "failed" && recorded.isBilled) {
        tokens?.startUnanswered();
      }
      recordedCall = {
        call: deps.callRecorder.recordAdmitted(admission, target, recorded),
        outcome,
        outcomeAtMs: deps.clock.monotonicMs(),
      };
      return deps.whenDurable?.().then(() => undefined);
    };
    const onEnd = (traffic: CallTraffic): void => {
      if (recordedCall !== undefined) {
        const times = {
          startedAtMs,
          outcomeAtMs: recordedCall.outcomeAtMs,
          endedAtMs: deps.clock.monotonicMs(),
        };
        deps.callRecorder.recordMeasure(recordedCall.call, {
          ...measureCall(recordedCall.outcome, times, traffic),
          tokens: tokens?.billed,
        });
      }
    };
    try {
      const nowMs = deps.clock.now().getTime();
      const sent = send(client, {
        ...call,
        tap: tokens,
        permitUse: admission.tenant,
        permits: admission.permits,
        identityHeaders: toIdentityHeaders(admission),
        extraResponseHeaders: [
          ...(call.extraResponseHeaders ?? []),
          ...toLimitHeaders(admission.limits, nowMs),
        ],
        onOutcome,
      });
      const openCall: OpenCall = { requestId: call.requestId, admission, findAddress, sent };
      deps.openCalls.add(openCall, decided);
      void sent.finished.then((traffic) => {
        deps.openCalls.delete(openCall);
        admission.permits?.release();
        onEnd(traffic);
      });
    } catch (error) {
      admission.permits?.release();
      tokens?.end(false);
      if (!isRecorded) {
        deps.callRecorder.abandon(admission);
      }
      throw error;
    }
  }

  /** Reads what a call asks for, takes what it may cost, and sends it. Without a way on, everything that it took goes back. */
  async function sendWithTokens(
    client: Client,
    call: Parameters<typeof sendMetered>[1],
    metering: Omit<Parameters<typeof sendMetered>[2], "tokens" | "decided"> & {
      rules: TokenRules;
      route: TokenRoute;
      decision: Omit<CallToDecide, "meterId" | "cost">;
      deny: (denial: Denial, model?: string) => void;
    },
  ): Promise<void> {
    const { admission, target, rules, route, decision, deny } = metering;
    let isEnded = false;
    try {
      if (client.raw !== undefined) {
        throw refuseWith("METHOD_NOT_ALLOWED", "This path cannot be used with a WebSocket.");
      }
      const { req, requestId } = call;
      const admitted = await admitTokens(tokenDeps, {
        req,
        res: client.res,
        requestId,
        rules,
        route,
        admission,
        decision,
        target,
      });
      if (admitted.kind === "denied") {
        deny(admitted.denial, admitted.model);
      } else if (admitted.kind === "admitted") {
        isEnded = true;
        const { body: heldBody, tap, release } = admitted;
        if (client.res.closed) {
          // Its client left while it was decided; no event follows.
          release();
        } else {
          client.res.once("close", release);
        }
        sendMetered(
          client,
          { ...call, heldBody },
          { ...metering, target: { ...target, model: tap.model }, tokens: tap, decided: "waited" },
        );
      } else {
        isEnded = true;
        admission.permits?.release();
        const { code } = admitted;
        deps.callRecorder.recordUnsent(admission, target, code);
        if (code !== "CLIENT_ABORTED") {
          throw refuseWith(code, FAILURE_STATUS[code].detail, { connection: "close" });
        }
      }
    } finally {
      if (!isEnded) {
        admission.permits?.release();
        deps.callRecorder.abandon(admission);
      }
    }
  }

  function answerWellKnown(res: ServerResponse): void {
    const text = JSON.stringify({ product: "turnpike", role: "gateway", plans: options.plansUrl });
    res.writeHead(200, {
      "content-type": "application/json",
      "cache-control": "no-store",
      "content-length": Buffer.byteLength(text),
    });
    res.end(text);
  }

  /** Pages of ours may call the upstream with a key, also where it answers no pages of other sites. */
  function answerOwnPreflight(req: IncomingMessage, res: ServerResponse): void {
    res.writeHead(204, {
      "access-control-allow-origin": options.pagesOrigin,
      "access-control-allow-methods": req.headers["access-control-request-method"] ?? "",
      "access-control-allow-headers": req.headers["access-control-request-headers"] ?? "",
      "access-control-max-age": "600",
      vary: "Origin",
    });
    res.end();
  }

  /**
   * What another cell says of a call that it forwards; undefined for a call that comes from its client.
   *
   * @throws {AppError} `FORWARDED_CALL_REFUSED`.
   */
  function readForwarded(req: IncomingMessage): ForwardingFacts | undefined {
    const marker = req.headers[MARKER_HEADER_LOWER];
    if (options.cells === undefined || marker === undefined) {
      return undefined;
    }
    const { cell, markerKey: secret } = options.cells;
    const facts = readMarker(String(marker), {
      key: secret,
      cell,
      nowSeconds: deps.clock.now().getTime() / 1_000,
      call: {
        method: req.method ?? "GET",
        rawTarget: req.url ?? "/",
        keyText: findKey(req)?.text ?? "",
      },
    });
    if (facts === undefined) {
      throw refuseWith(
        "FORWARDED_CALL_REFUSED",
        "This call says that another cell forwards it, and no cell has signed that.",
        { connection: "close" },
      );
    }
    return facts;
  }

  function take(req: IncomingMessage, client: Client): void {
    const startedAtMs = deps.clock.monotonicMs();
    const refusal = inspectRequest(req, {
      keyHeaderNames: [API_KEY_HEADER],
      viaPseudonym: options.instanceName,
    });
    if (refusal !== undefined) {
      const error = refuseWith(refusal.code, refusal.reason, { connection: "close" });
      refuse(client, deps.newId("request"), error);
      return;
    }
    const forwarded = readForwarded(req);
    const requestId = forwarded?.requestId ?? deps.newId("request");
    const origin = forwarded && restoreRequest(req, forwarded);
    const rawTarget = req.url ?? "/";
    if (rawTarget === WELL_KNOWN && client.raw === undefined) {
      answerWellKnown(client.res);
      return;
    }
    const choice = pickUpstream(router, { host: req.headers.host ?? "", rawTarget });
    if (choice.kind !== "found") {
      const error =
        choice.kind === "none"
          ? refuseWith("NO_UPSTREAM", "No upstream serves this address.")
          : refuseWith("AMBIGUOUS_PATH", "This path can be read in more than one way.");
      refuse(client, requestId, error);
      return;
    }
    const protocol = choice.upstream.tokens?.protocol;
    const fromOwnPage =
      options.pagesOrigin !== undefined && req.headers.origin === options.pagesOrigin;
    if (fromOwnPage && isPreflight(req) && client.raw === undefined) {
      answerOwnPreflight(req, client.res);
      return;
    }
    const call = {
      req,
      upstream: choice.upstream,
      rawTarget: choice.rawTarget,
      requestId,
      origin,
      extraResponseHeaders: [
        ["X-Request-Id", requestId] as const,
        ...(fromOwnPage ? ownPageHeaders : []),
      ],
    };
    const key = findKey(req);
    if (key === undefined) {
      // No browser sends a preflight with a body: one that has a body is a call like any other.
      if (isPreflight(req) && !hasRequestBody(req)) {
        sendPreflight(client, { ...call, keyHeaderNames: [] });
        return;
      }
      const how = "Send your API key in the header Authorization: Bearer or X-Api-Key.";
      const error = refuseWith("MISSING_KEY", how, { "www-authenticate": "Bearer" });
      refuse(client, requestId, error, protocol);
      return;
    }

    const target = {
      requestId,
      meterId: REQUESTS_METER,
      method: toCallMethod(req.method ?? ""),
      rawTarget,
      upstream: choice.upstream.name,
    };
    const findAddress = () => (origin ?? findCallOrigin(req, trustedProxies)).clientAddress;
    const callToDecide = {
      keyText: key.text,
      takesTestKeys: choice.forTests !== undefined,
      findAddress,
    };
    const deny = (denial: Denial, model?: string): void => {
      deps.callRecorder.recordDenied(denial, { ...target, model });
      const nowMs = deps.clock.now().getTime();
      const error = toDenialError(denial, { plansUrl: options.plansUrl, nowMs });
      refuse(client, requestId, error, protocol);
    };
    // A test key without a place to go is denied.
    const placeIn = (environment: Environment) =>
      environment === "test" ? (choice.forTests ?? choice) : choice;
    /** For a key that this cell does not know. @param isAgain - It was looked for here once more. */
    const goElsewhere = (denial: Denial, isAgain: boolean): void => {
      if (forwarded !== undefined) {
        // The forwarding node looks again where the key is.
        const headers = { [ELSEWHERE_HEADER]: "1" };
        const detail = "This cell does not have the API key.";
        refuse(client, requestId, refuseWith("CALL_MISDIRECTED", detail, headers));
      } else if (forwarder === undefined || isAgain || !mayBeKnown(key.text)) {
        deny(denial);
      } else {
        forwarder.forward({
          ...call,
          ...client,
          keyText: key.text,
          onUnknown: () => deny(denial),
          onHere: ({ tenantId }) => {
            deps.forgetUnknown?.(hashKey(key.text), tenantId);
            decide(true);
          },
          onError: (error) => refuse(client, requestId, error, protocol),
        });
      }
    };
    const proceed = (
      decision: Decision,
      { decided, isAgain }: { decided: "at-once" | "waited"; isAgain: boolean },
    ): void => {
      if (!decision.allowed) {
        if (decision.code === "INVALID_KEY" && decision.subject === undefined) {
          goElsewhere(decision, isAgain);
        } else {
          deny(decision);
        }
        return;
      }
      const { upstream, rawTarget: upstreamTarget } = placeIn(decision.key.environment);
      const admitted = {
        ...call,
        upstream,
        rawTarget: upstreamTarget,
        keyHeaderNames: key.headerNames,
      };
      const metering = { admission: decision, target, startedAtMs, findAddress, decided };
      const rules = rulesOf.get(upstream);
      const route = rules?.routeOf(upstreamTarget);
      if (rules === undefined || route === undefined) {
        sendMetered(client, admitted, metering);
        return;
      }
      const ofTokens = { rules, route, decision: callToDecide };
      sendWithTokens(client, admitted, { ...metering, ...ofTokens, deny }).catch((error: unknown) =>
        refuse(client, requestId, error, protocol),
      );
    };

    const decide = (isAgain: boolean): void => {
      try {
        assertRecordable(deps.callRecorder);
        const pending = deps.decideCall({
          ...callToDecide,
          meterId: REQUESTS_METER,
          cost: 1,
          holdsPermits: true,
          upstreamOf: (environment) => placeIn(environment).upstream,
        });
        if (pending instanceof Promise) {
          pending
            .then((decision) => proceed(decision, { decided: "waited", isAgain }))
            .catch((error: unknown) => refuse(client, requestId, error, protocol));
        } else {
          proceed(pending, { decided: "at-once", isAgain });
        }
      } catch (error) {
        refuse(client, requestId, error, protocol);
      }
    };
    decide(false);
  }

  function takeSafely(req: IncomingMessage, client: Client): void {
    try {
      take(req, client);
    } catch (error) {
      refuse(client, deps.newId("request"), error);
    }
  }

  const server = createGatewayServer({
    maxConnections: options.maxConnections,
    onCall: (req, res) => takeSafely(req, { res, raw: undefined }),
    onUpgrade: (req, res, raw) => takeSafely(req, { res, raw }),
  });
  const proxies: GatewayProxy = {
    ...proxy,
    close: async (graceMs) => {
      await Promise.all([proxy.close(graceMs), forwarder?.close(graceMs)]);
    },
  };
  return { server, proxy: proxies, upstreamHealth };
}
