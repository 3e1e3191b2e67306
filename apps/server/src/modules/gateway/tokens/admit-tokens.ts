import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { CallToDecide } from "../decide/call-to-decide.ts";
import type { Admission, DecideCall } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import type { ProxyCallLimits } from "../proxy/proxy-call-input.ts";
import type { BodyFailure } from "../proxy/request-body.ts";
import type { CallRecorder, CallTarget } from "../record-call.ts";
import { type BodyMemory, readBody } from "./read-body.ts";
import { readTokenRequest } from "./read-token-request.ts";
import { reserveTokens } from "./reserve-tokens.ts";
import { TokenCall } from "./token-call.ts";
import { type TokenRoute, type TokenRules, toUnitsMax } from "./token-rules.ts";

export type AdmitTokensDeps = {
  decideCall: DecideCall;
  callRecorder: Pick<CallRecorder, "recordUnits" | "abandon">;
  clock: Clock;
  logger: Logger;
  limits: ProxyCallLimits;
  memory: BodyMemory;
};

export type TokenAdmission =
  | { kind: "admitted"; body: Buffer; tap: TokenCall; release(): void }
  | { kind: "denied"; denial: Denial; model: string }
  /** Its body did not come in full. */
  | { kind: "failed"; code: BodyFailure | "OVERLOADED" };

/**
 * Reads what a call asks for and takes the most that it can cost. Nothing is held unless it is admitted.
 *
 * @throws {AppError} `MALFORMED_REQUEST`, and what a decision throws.
 */
export async function admitTokens(
  deps: AdmitTokensDeps,
  call: {
    req: IncomingMessage;
    res: ServerResponse;
    requestId: string;
    rules: TokenRules;
    route: TokenRoute;
    admission: Admission;
    decision: Omit<CallToDecide, "meterId" | "cost">;
    target: Omit<CallTarget, "meterId">;
  },
): Promise<TokenAdmission> {
  const { req, res, rules, route } = call;
  if ((req.headers["content-encoding"] ?? "identity") !== "identity") {
    throw refuse("Send the body of this call without compression.");
  }
  const read = await readBody(
    { req, res, maxBytes: rules.requestBytesMax, limits: deps.limits, clock: deps.clock },
    deps.memory,
  );
  if ("failure" in read) {
    return { kind: "failed", code: read.failure };
  }
  const { bytes, release } = read.body;
  let isHeld = false;
  try {
    const request = readTokenRequest(rules, route, bytes);
    if ("fault" in request) {
      throw refuse(request.fault);
    }
    const units = toUnitsMax(rules, request.model, request.bound);
    const reserved = await reserveTokens(deps, call.decision, units);
    if ("denial" in reserved) {
      return { kind: "denied", denial: reserved.denial, model: request.model };
    }
    isHeld = true;
    const { requestId, admission, target } = call;
    const tap = new TokenCall(deps, {
      requestId,
      rules,
      request: { ...request, requestBytes: bytes.length },
      admission,
      reservations: reserved.reservations,
      target,
    });
    return { kind: "admitted", body: request.body, tap, release };
  } finally {
    if (!isHeld) {
      release();
    }
  }
}

function refuse(publicMessage: string): AppError {
  return new AppError({
    code: "MALFORMED_REQUEST",
    publicMessage,
    headers: { connection: "close" },
  });
}
