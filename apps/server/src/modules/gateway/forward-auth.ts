import { createSecretKey } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { FORWARD_AUTH_DIALECTS, type ForwardAuthDialect } from "@turnpike/contract/forward-auth";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { NewId } from "@turnpike/domain/ids/ids";
import { toCallMethod } from "@turnpike/domain/metering/call-method";
import { type ProblemRenderer, sendProblem, toAppError } from "#http/problem-details.ts";
import { parseTrustedProxies } from "#platform/client-address.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { DecideCall, Denial } from "./decide-call.ts";
import { DENIAL_HEADERS, toDenialError } from "./denial-error.ts";
import { issueDenialTicket, readDenialTicket } from "./denial-ticket.ts";
import { findKey, isPreflight } from "./find-key.ts";
import type { HeaderPair } from "./forward-headers.ts";
import { type ForwardedRequest, readForwardedRequest } from "./forwarded-request.ts";
import { NO_IDENTITY, toIdentityHeaders } from "./identity-headers.ts";
import { toLimitHeaders } from "./limit-headers.ts";
import { assertRecordable, type CallRecorder, type WhenJournaled } from "./record-call.ts";

export type ForwardAuthDeps = {
  decideCall: DecideCall;
  callRecorder: CallRecorder;
  whenJournaled?: WhenJournaled;
  renderProblem: ProblemRenderer;
  newId: NewId;
  clock: Clock;
  logger: Logger;
};

export type ForwardAuthOptions = {
  /** CIDRs of the proxies that may ask. */
  trustedProxies: readonly string[];
  /** Signs the tickets of denials; the same on every process of the installation. */
  signingSecret: string;
  plansUrl: string;
};

export const FORWARD_AUTH_PREFIX = "/v1/authorize";

/** The only statuses besides 2xx that nginx lets an authorisation answer with. */
const NGINX_DENIED_STATUS = 403;
export const DENIAL_TICKET_HEADER = "x-turnpike-denial";

type Question = { dialect: ForwardAuthDialect; ownTarget: string } | "denied" | undefined;

/** What is asked, from the path alone: the query belongs to the call in some dialects, and is never read. */
function readQuestion(target: string): Question {
  const rest = target.slice(FORWARD_AUTH_PREFIX.length);
  const queryAt = rest.indexOf("?");
  const path = queryAt === -1 ? rest : rest.slice(0, queryAt);
  if (path === "/nginx/denied") {
    return "denied";
  }
  const dialect = FORWARD_AUTH_DIALECTS.find(
    (name) => path === `/${name}` || (name === "envoy" && path.startsWith("/envoy/")),
  );
  return dialect === undefined
    ? undefined
    : { dialect, ownTarget: dialect === "envoy" ? rest.slice("/envoy".length) : "" };
}

function missingKey(): Denial {
  return {
    allowed: false,
    code: "MISSING_KEY",
    detail: "Send your API key in the header Authorization: Bearer or X-Api-Key.",
    subject: undefined,
    limit: undefined,
    limits: [],
    missingScopes: [],
    retryAfterMs: undefined,
  };
}

/**
 * Answers proxies that ask before they forward a call: key, limits and metering in one step, as the gateway does. Proxies
 * never tell how the call came out, so it is billed when it is allowed.
 *
 * An allowed call is answered 200 and nothing else, with every identity header, so that none that a caller sent survives in
 * a proxy that copies them. A denied one is answered as the gateway does; nginx, which can hand on neither its status nor
 * its body, gets 403 with a ticket, and fetches the answer by it from `/v1/authorize/nginx/denied`.
 *
 * @returns A function that takes every request under {@link FORWARD_AUTH_PREFIX}.
 */
export function createForwardAuth(deps: ForwardAuthDeps, options: ForwardAuthOptions) {
  const trusted = parseTrustedProxies(options.trustedProxies);
  const secret = createSecretKey(Buffer.from(options.signingSecret, "utf8"));

  function sendAllowed(
    res: ServerResponse,
    headers: readonly HeaderPair[],
    requestId: string,
  ): void {
    res.writeHead(200, {
      ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      "x-request-id": requestId,
      "cache-control": "no-store",
      "content-length": "0",
    });
    res.end();
  }

  function sendDenied(
    res: ServerResponse,
    dialect: ForwardAuthDialect,
    denial: Denial,
    requestId: string,
  ): void {
    const nowMs = deps.clock.now().getTime();
    const error = toDenialError(denial, { plansUrl: options.plansUrl, nowMs });
    const problem = deps.renderProblem(error, requestId);
    if (dialect !== "nginx") {
      sendProblem(res, problem, DENIAL_HEADERS);
      return;
    }
    sendProblem(
      res,
      { ...problem, status: NGINX_DENIED_STATUS },
      {
        ...DENIAL_HEADERS,
        [DENIAL_TICKET_HEADER]: issueDenialTicket({ secret, denial, requestId, nowMs }),
      },
    );
  }

  /** Renders what was decided before. Decides nothing, counts nothing, and never answers 2xx: nginx would let that through. */
  function answerTicket(req: IncomingMessage, res: ServerResponse, requestId: string): void {
    const ticket = req.headers[DENIAL_TICKET_HEADER];
    const nowMs = deps.clock.now().getTime();
    const denial =
      typeof ticket === "string" ? readDenialTicket({ secret, ticket, nowMs }) : undefined;
    if (denial === undefined) {
      const error = new AppError({
        code: "OVERLOADED",
        publicMessage: "This call could not be authorised. Try again in a moment.",
        headers: { "retry-after": "1" },
      });
      sendProblem(res, deps.renderProblem(error, requestId), DENIAL_HEADERS);
      return;
    }
    const error = toDenialError(denial, { plansUrl: options.plansUrl, nowMs });
    sendProblem(res, deps.renderProblem(error, denial.requestId), DENIAL_HEADERS);
  }

  async function decide(
    req: IncomingMessage,
    res: ServerResponse,
    input: { question: Exclude<Question, "denied" | undefined>; requestId: string },
  ): Promise<void> {
    const { question, requestId } = input;
    const call: ForwardedRequest = readForwardedRequest(req, { ...question, trusted });
    const key = findKey(req);
    if (key === undefined) {
      if (isPreflight({ headers: req.headers, method: call.method })) {
        sendAllowed(res, NO_IDENTITY, requestId);
      } else {
        sendDenied(res, question.dialect, missingKey(), requestId);
      }
      return;
    }
    assertRecordable(deps.callRecorder);
    const pending = deps.decideCall({
      keyText: key.text,
      meterId: REQUESTS_METER,
      cost: 1,
      findAddress: () => call.clientAddress,
    });
    const decision = pending instanceof Promise ? await pending : pending;
    const target = {
      meterId: REQUESTS_METER,
      method: toCallMethod(call.method),
      rawTarget: call.rawTarget,
    };
    if (!decision.allowed) {
      deps.callRecorder.recordDenied(decision, target);
      sendDenied(res, question.dialect, decision, requestId);
      return;
    }
    deps.callRecorder.recordAllowed(decision, target);
    if (deps.whenJournaled !== undefined) {
      await deps.whenJournaled();
    }
    const limits = toLimitHeaders(decision.limits, deps.clock.now().getTime());
    sendAllowed(res, [...toIdentityHeaders(decision), ...limits], requestId);
  }

  return function serveForwardAuth(req: IncomingMessage, res: ServerResponse): void {
    const requestId = deps.newId("request");
    const question = readQuestion(req.url ?? "");
    if (question === "denied") {
      answerTicket(req, res, requestId);
      return;
    }
    const answered =
      question === undefined
        ? Promise.reject(
            new AppError({
              code: "RESOURCE_NOT_FOUND",
              publicMessage: `There is no such dialect; there are ${FORWARD_AUTH_DIALECTS.join(", ")}.`,
            }),
          )
        : decide(req, res, { question, requestId });
    answered.catch((error: unknown) => {
      const failure = toAppError(error);
      if (failure.code === "INTERNAL_ERROR") {
        deps.logger.error({ err: error, requestId }, "A call could not be authorised");
      }
      sendProblem(res, deps.renderProblem(failure, requestId), DENIAL_HEADERS);
    });
  };
}
