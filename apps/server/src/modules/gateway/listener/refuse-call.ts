import type { ServerResponse } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { ErrorCode } from "@turnpike/domain/errors/error-codes";
import { type ProblemRenderer, sendProblem, toAppError } from "#http/problem-details.ts";
import type { Logger } from "#platform/logger.ts";
import { DENIAL_HEADERS, toChallenge } from "../denial-error.ts";
import type { RenderProblem } from "../proxy/call-outcome.ts";
import { toProtocolError } from "../tokens/protocol-error.ts";
import type { TokenProtocolName } from "../tokens/token-protocols.ts";

export type RefusalDeps = { renderProblem: ProblemRenderer; logger: Logger };

/** Answers a client whose call is not sent. With `protocol`, in the body that clients of that protocol read. */
export type RefuseCall = (
  client: { res: ServerResponse },
  requestId: string,
  error: unknown,
  protocol?: TokenProtocolName,
) => void;

export function refuseWith(
  code: ErrorCode,
  detail: string,
  headers: Record<string, string> = {},
): AppError {
  return new AppError({ code, publicMessage: detail, headers });
}

/** Never throws: it is the last resort for a call, and a fault here must not end the process and every other call. */
export function createRefuseCall(deps: RefusalDeps): RefuseCall {
  return function refuse({ res }, requestId, error, protocol) {
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
  };
}

/** Renders what the transport says when it gives up on a call. */
export function createRenderProxyProblem(deps: Pick<RefusalDeps, "renderProblem">): RenderProblem {
  return function renderProxyProblem(res, problem, upstream) {
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
}
