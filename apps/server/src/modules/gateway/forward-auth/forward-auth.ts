import { createSecretKey } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { FORWARD_AUTH_DIALECTS, type ForwardAuthDialect } from "@turnpike/contract/forward-auth";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { NewId } from "@turnpike/domain/ids/ids";
import { toCallMethod } from "@turnpike/domain/metering/call-method";
import type { Mount } from "#http/api-server.ts";
import { type ProblemRenderer, sendProblem, toAppError } from "#http/problem-details.ts";
import { ClientLeftError, discardBody } from "#http/raw-route.ts";
import { parseTrustedProxies, toCanonicalAddress } from "#platform/client-address.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { DecideCall } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import { DENIAL_HEADERS, toDenialError } from "../denial-error.ts";
import { findKey, isPreflight } from "../find-key.ts";
import { NO_IDENTITY, toIdentityHeaders } from "../identity-headers.ts";
import { toLimitHeaders } from "../limit-headers.ts";
import type { HeaderPair } from "../proxy/forward-headers.ts";
import { hasRequestBody } from "../proxy/request-body.ts";
import { SIGNATURE_HEADER } from "../proxy/sign-request.ts";
import { assertRecordable, type CallRecorder, type WhenDurable } from "../record-call.ts";
import { type DenialToTicket, issueDenialTicket, readDenialTicket } from "./denial-ticket.ts";
import { type ForwardedRequest, readForwardedRequest } from "./forwarded-request.ts";

export type ForwardAuthDeps = {
  decideCall: DecideCall;
  callRecorder: CallRecorder;
  whenDurable?: WhenDurable;
  renderProblem: ProblemRenderer;
  newId: NewId;
  clock: Clock;
  logger: Logger;
};

export type ForwardAuthOptions = {
  /** CIDRs of the proxies that may ask. */
  trustedProxies: readonly string[];
  /** Signs the tickets of denials. The same in every process of the installation. */
  signingSecret: string;
  plansUrl: string;
};

const FORWARD_AUTH_PREFIX = "/v1/authorize";

/** The only statuses besides 2xx that nginx lets an authorisation answer with. */
const NGINX_DENIED_STATUS = 403;
export const DENIAL_TICKET_HEADER = "x-turnpike-denial";

/** The headers that every recipe replaces or removes. */
const REPLACED_HEADERS: ReadonlySet<string> = new Set([
  ...NO_IDENTITY.map(([name]) => name.toLowerCase()),
  DENIAL_TICKET_HEADER,
  SIGNATURE_HEADER.toLowerCase(),
]);

/** More than an installation has proxies. Strangers must fill neither the log nor the memory. */
const STRANGERS_LOGGED_MAX = 100;

type Question = { dialect: ForwardAuthDialect; ownTarget: string } | "denied" | undefined;

/** Reads the question from the path alone: in some dialects the query belongs to the call, so it is never read. */
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

/**
 * Refuses a call with an `X-Turnpike-*` header that a proxy which replaces headers one by one, as nginx does, would hand on.
 *
 * @throws {AppError} `MALFORMED_REQUEST`.
 */
function assertNoOtherIdentity({ headers }: Pick<IncomingMessage, "headers">): void {
  const isOther = (name: string) => name.startsWith("x-turnpike-") && !REPLACED_HEADERS.has(name);
  if (Object.keys(headers).some(isOther)) {
    throw new AppError({
      code: "MALFORMED_REQUEST",
      publicMessage: "Headers that begin with X-Turnpike- are not a caller's to send.",
    });
  }
}

/** Turns a failure into a denial that a ticket can carry: what the caller may see, and when to retry. */
function toDenial(failure: AppError): DenialToTicket {
  const retryAfterSeconds = failure.headers["retry-after"];
  return {
    code: failure.code,
    detail: failure.message,
    limit: undefined,
    retryAfterMs: retryAfterSeconds === undefined ? undefined : Number(retryAfterSeconds) * 1000,
  };
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
 * Answers proxies that ask before they forward a call: key, limits and metering in one step, as in the gateway. Proxies
 * never report the outcome, so an allowed call is billed.
 *
 * An allowed call is answered 200 and nothing else, with every identity header, so that none that a caller sent survives in
 * a proxy that copies them. A denied one, and one that cannot be decided, is answered as the gateway does; nginx, which can
 * hand on neither status nor body, gets 403 with a ticket, and fetches the answer by it from `/v1/authorize/nginx/denied`.
 *
 * @returns A mount that takes every request under {@link FORWARD_AUTH_PREFIX}.
 */
export function createForwardAuth(deps: ForwardAuthDeps, options: ForwardAuthOptions): Mount {
  const trusted = parseTrustedProxies(options.trustedProxies);
  const secret = createSecretKey(Buffer.from(options.signingSecret, "utf8"));
  const loggedStrangers = new Set<string>();

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

  function sendError(
    res: ServerResponse,
    error: AppError,
    input: { dialect: ForwardAuthDialect | undefined; denial: DenialToTicket; requestId: string },
  ): void {
    const { dialect, denial, requestId } = input;
    const problem = deps.renderProblem(error, requestId);
    if (dialect !== "nginx") {
      sendProblem(res, problem, DENIAL_HEADERS);
      return;
    }
    const nowMs = deps.clock.now().getTime();
    sendProblem(
      res,
      { ...problem, status: NGINX_DENIED_STATUS },
      {
        ...DENIAL_HEADERS,
        [DENIAL_TICKET_HEADER]: issueDenialTicket({ secret, denial, requestId, nowMs }),
      },
    );
  }

  function sendDenied(
    res: ServerResponse,
    dialect: ForwardAuthDialect,
    denial: Denial,
    requestId: string,
  ): void {
    const nowMs = deps.clock.now().getTime();
    const error = toDenialError(denial, { plansUrl: options.plansUrl, nowMs });
    sendError(res, error, { dialect, denial, requestId });
  }

  /** Logs once per address: a proxy missing from the list asks with every call. */
  function warnOfStranger(req: IncomingMessage): void {
    const peer = toCanonicalAddress(req.socket.remoteAddress ?? "");
    const isFull = loggedStrangers.size >= STRANGERS_LOGGED_MAX;
    if (peer === undefined || isFull || loggedStrangers.has(peer)) {
      return;
    }
    loggedStrangers.add(peer);
    deps.logger.warn(
      { peer },
      "Calls that this address asks about are refused: it is not in trustedProxies of turnpike.yaml",
    );
  }

  /** Renders an earlier decision. Decides and counts nothing, and never answers 2xx, which nginx would let through. */
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
    assertNoOtherIdentity(req);
    const key = findKey(req);
    if (key === undefined) {
      // As in the gateway: no browser sends a preflight with a body.
      if (isPreflight({ headers: req.headers, method: call.method }) && !hasRequestBody(req)) {
        sendAllowed(res, NO_IDENTITY, requestId);
      } else {
        sendDenied(res, question.dialect, missingKey(), requestId);
      }
      return;
    }
    if (hasRequestBody(req)) {
      await discardBody(req);
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
      requestId,
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
    if (deps.whenDurable !== undefined) {
      await deps.whenDurable();
    }
    const limits = toLimitHeaders(decision.limits, deps.clock.now().getTime());
    sendAllowed(res, [...toIdentityHeaders(decision), ...limits], requestId);
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
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
      if (error instanceof ClientLeftError) {
        res.destroy();
        return;
      }
      const failure = toAppError(error);
      if (failure.code === "INTERNAL_ERROR") {
        deps.logger.error({ err: error, requestId }, "A call could not be authorised");
      }
      // Thrown only for a proxy that is not trusted; a key bound to other networks gets a denial.
      if (failure.code === "FORBIDDEN_NETWORK") {
        warnOfStranger(req);
      }
      const denial = toDenial(failure);
      sendError(res, failure, { dialect: question?.dialect, denial, requestId });
    });
  }

  return { prefix: FORWARD_AUTH_PREFIX, handle };
}
