import type { IncomingMessage, ServerResponse } from "node:http";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import type { NewId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { toCallMethod } from "@turnpike/domain/metering/call-method";
import { hashKey } from "#modules/keys/index.ts";
import type { TrustedProxies } from "#platform/client-address.ts";
import type { Clock } from "#platform/clock.ts";
import type { CellForwarder, OtherCells } from "../cells/forward-to-cell.ts";
import { MARKER_HEADER_LOWER } from "../cells/forwarding-marker.ts";
import { readForwarded } from "../cells/read-forwarded.ts";
import { restoreRequest } from "../cells/restore-request.ts";
import type { CallToDecide } from "../decide/call-to-decide.ts";
import { type DecideCall, type Decision, mayBeKnown } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import { toDenialError } from "../denial-error.ts";
import { API_KEY_HEADER, findKey, isPreflight, type KeyInRequest } from "../find-key.ts";
import { ELSEWHERE_HEADER, findCallOrigin, type HeaderPair } from "../proxy/forward-headers.ts";
import { hasRequestBody } from "../proxy/request-body.ts";
import {
  pickUpstream,
  type Upstream,
  type UpstreamChoice,
  type UpstreamPlace,
  type UpstreamRouter,
} from "../proxy/upstream-router.ts";
import { assertRecordable, type CallRecorder, type CallTarget } from "../record-call.ts";
import type { TokenRules } from "../tokens/token-rules.ts";
import type { OwnPages } from "./own-pages.ts";
import { type RefuseCall, refuseWith } from "./refuse-call.ts";
import { FORWARDED_BOUNDS, inspectRequest } from "./request-gate.ts";
import type { Client, RoutedCall, SendCall } from "./send-call.ts";

export type TakeCallDeps = {
  decideCall: DecideCall;
  callRecorder: CallRecorder;
  /** Forgets that a key and its tenant are not here, which was true until a moment ago. */
  forgetUnknown?: ((keyHash: string, tenantId: TenantId) => void) | undefined;
  newId: NewId;
  clock: Clock;
};

export type TakeCallOptions = {
  router: UpstreamRouter;
  trustedProxies: TrustedProxies;
  /** Names this installation in `Via`, so that a call which comes back is seen. */
  instanceName: string;
  /** Address of the plans, shown in denials. */
  plansUrl: string;
  /** The other cells, whose keys may be used here. Left out: there are none. */
  cells?: OtherCells | undefined;
};

/** A call that has passed the gate, with its upstream and its key. */
type KeyedCall = {
  client: Client;
  call: Omit<RoutedCall, "keyHeaderNames" | "extraResponseHeaders"> & {
    extraResponseHeaders: readonly HeaderPair[];
  };
  choice: Extract<UpstreamChoice, { kind: "found" }>;
  key: KeyInRequest;
  target: CallTarget;
  callToDecide: Pick<CallToDecide, "keyText" | "takesTestKeys" | "findAddress">;
  /** True when another cell forwards it. */
  isForwarded: boolean;
  startedAtMs: number;
};

/** How its decision came: `isAgain` when the key was looked for here once more. */
type DecidedHow = { decided: "at-once" | "waited"; isAgain: boolean };

/** The one path on the listener for programs that is ours; every other goes to the upstream. */
const WELL_KNOWN = "/.well-known/turnpike";

/** The steps of a call from its request to its decision, and on to its upstream or a refusal. */
export function createTakeCall(
  deps: TakeCallDeps,
  options: TakeCallOptions,
  parts: {
    refuse: RefuseCall;
    sendCall: SendCall;
    ownPages: OwnPages;
    forwarder: CellForwarder | undefined;
    rulesOf: ReadonlyMap<Upstream, TokenRules>;
  },
) {
  const { router, trustedProxies, plansUrl } = options;
  const { refuse, sendCall, ownPages, forwarder, rulesOf } = parts;
  const forwarding = { cells: options.cells, clock: deps.clock };
  const gate = { keyHeaderNames: [API_KEY_HEADER], viaPseudonym: options.instanceName };
  const forwardedGate = { ...gate, bounds: FORWARDED_BOUNDS };

  function answerWellKnown(res: ServerResponse): void {
    const text = JSON.stringify({ product: "turnpike", role: "gateway", plans: plansUrl });
    res.writeHead(200, {
      "content-type": "application/json",
      "cache-control": "no-store",
      "content-length": Buffer.byteLength(text),
    });
    res.end(text);
  }

  function refuseKeyed({ client, call, choice }: KeyedCall, error: unknown): void {
    refuse(client, call.requestId, error, choice.upstream.tokens?.protocol);
  }

  function deny(keyed: KeyedCall, denial: Denial, model?: string): void {
    deps.callRecorder.recordDenied(denial, { ...keyed.target, model });
    const nowMs = deps.clock.now().getTime();
    refuseKeyed(keyed, toDenialError(denial, { plansUrl, nowMs }));
  }

  /** For a key that this cell does not know. */
  function goElsewhere(keyed: KeyedCall, denial: Denial, isAgain: boolean): void {
    const { client, call, key } = keyed;
    if (keyed.isForwarded) {
      // The forwarding node looks again where the key is.
      const headers = { [ELSEWHERE_HEADER]: "1" };
      const detail = "This cell does not have the API key.";
      refuse(client, call.requestId, refuseWith("CALL_MISDIRECTED", detail, headers));
    } else if (forwarder === undefined || isAgain || !mayBeKnown(key.text)) {
      deny(keyed, denial);
    } else {
      forwarder.forward({
        ...call,
        ...client,
        keyText: key.text,
        onUnknown: () => deny(keyed, denial),
        onHere: ({ tenantId }) => {
          deps.forgetUnknown?.(hashKey(key.text), tenantId);
          decide(keyed, true);
        },
        onError: (error) => refuseKeyed(keyed, error),
      });
    }
  }

  function proceed(keyed: KeyedCall, decision: Decision, how: DecidedHow): void {
    if (!decision.allowed) {
      if (decision.code === "INVALID_KEY" && decision.subject === undefined) {
        goElsewhere(keyed, decision, how.isAgain);
      } else {
        deny(keyed, decision);
      }
      return;
    }
    const { client, target, callToDecide, startedAtMs } = keyed;
    const { upstream, rawTarget } = placeIn(keyed.choice, decision.key.environment);
    const call = { ...keyed.call, upstream, rawTarget, keyHeaderNames: keyed.key.headerNames };
    const metering = {
      admission: decision,
      target,
      startedAtMs,
      findAddress: callToDecide.findAddress,
      decided: how.decided,
    };
    const rules = rulesOf.get(upstream);
    const route = rules?.routeOf(rawTarget);
    if (rules === undefined || route === undefined) {
      sendCall.sendMetered(client, call, metering);
      return;
    }
    sendCall
      .sendWithTokens(client, call, {
        ...metering,
        rules,
        route,
        decision: callToDecide,
        deny: (denial, model) => deny(keyed, denial, model),
      })
      .catch((error: unknown) => refuseKeyed(keyed, error));
  }

  function decide(keyed: KeyedCall, isAgain: boolean): void {
    try {
      assertRecordable(deps.callRecorder);
      const pending = deps.decideCall({
        ...keyed.callToDecide,
        meterId: REQUESTS_METER,
        cost: 1,
        holdsPermits: true,
        upstreamOf: (environment) => placeIn(keyed.choice, environment).upstream,
      });
      if (pending instanceof Promise) {
        pending
          .then((decision) => proceed(keyed, decision, { decided: "waited", isAgain }))
          .catch((error: unknown) => refuseKeyed(keyed, error));
      } else {
        proceed(keyed, pending, { decided: "at-once", isAgain });
      }
    } catch (error) {
      refuseKeyed(keyed, error);
    }
  }

  /** A call without a key is a preflight, or refused. */
  function takeWithoutKey(client: Client, call: Omit<RoutedCall, "keyHeaderNames">): void {
    const { req, requestId, upstream } = call;
    // No browser sends a preflight with a body: one that has a body is a call like any other.
    if (isPreflight(req) && !hasRequestBody(req)) {
      sendCall.sendPreflight(client, { ...call, keyHeaderNames: [] });
      return;
    }
    const how = "Send your API key in the header Authorization: Bearer or X-Api-Key.";
    const error = refuseWith("MISSING_KEY", how, { "www-authenticate": "Bearer" });
    refuse(client, requestId, error, upstream.tokens?.protocol);
  }

  return function take(req: IncomingMessage, client: Client): void {
    const startedAtMs = deps.clock.monotonicMs();
    const saysForwarded =
      options.cells !== undefined && req.headers[MARKER_HEADER_LOWER] !== undefined;
    // Unless a cell has signed the marker, the call is refused next.
    const refusal = inspectRequest(req, saysForwarded ? forwardedGate : gate);
    if (refusal !== undefined) {
      const error = refuseWith(refusal.code, refusal.reason, { connection: "close" });
      refuse(client, deps.newId("request"), error);
      return;
    }
    const forwarded = readForwarded(req, forwarding);
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
    const fromOwnPage = ownPages.sent(req);
    if (fromOwnPage && isPreflight(req) && client.raw === undefined) {
      ownPages.answerPreflight(req, client.res);
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
        ...(fromOwnPage ? ownPages.headers : []),
      ],
    };
    const key = findKey(req);
    if (key === undefined) {
      takeWithoutKey(client, call);
      return;
    }
    const keyed: KeyedCall = {
      client,
      call,
      choice,
      key,
      target: {
        requestId,
        meterId: REQUESTS_METER,
        method: toCallMethod(req.method ?? ""),
        rawTarget,
        upstream: choice.upstream.name,
      },
      callToDecide: {
        keyText: key.text,
        takesTestKeys: choice.forTests !== undefined,
        findAddress: () => (origin ?? findCallOrigin(req, trustedProxies)).clientAddress,
      },
      isForwarded: forwarded !== undefined,
      startedAtMs,
    };
    decide(keyed, false);
  };
}

/** A test key without a place to go is denied. */
function placeIn(
  choice: Extract<UpstreamChoice, { kind: "found" }>,
  environment: Environment,
): UpstreamPlace {
  return environment === "test" ? (choice.forTests ?? choice) : choice;
}
