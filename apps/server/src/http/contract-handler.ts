import type { IncomingMessage, ServerResponse } from "node:http";
import { OpenAPIHandler } from "@orpc/openapi/node";
import { type AnyRouter, ORPCError, ValidationError } from "@orpc/server";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { z } from "zod";
import type { HttpContext } from "./http-context.ts";
import type { ProblemRenderer } from "./problem-details.ts";
import { invalidRequest, toFieldErrors } from "./raw-route.ts";

/** Bodies of the management API are small documents. */
const BODY_BYTES_MAX = 1024 * 1024;

/** Turns what the contract library throws about a request into our errors; anything else passes as it is. */
function fromContractError(error: unknown): unknown {
  if (error instanceof SyntaxError) {
    return new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The body is not JSON.",
      errors: [{ pointer: "/", message: "Not JSON." }],
      cause: error,
    });
  }
  if (!(error instanceof ORPCError)) {
    return error;
  }
  if (error.code === "BAD_REQUEST" && error.cause instanceof ValidationError) {
    return invalidRequest(toFieldErrors(error.cause.issues as z.core.$ZodIssue[]));
  }
  if (error.code === "BAD_REQUEST") {
    return new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The request cannot be read: check body and content type.",
      cause: error,
    });
  }
  return error;
}

function assertBodyAllowed(req: IncomingMessage): void {
  if (Number(req.headers["content-length"] ?? 0) > BODY_BYTES_MAX) {
    throw new AppError({
      code: "PAYLOAD_TOO_LARGE",
      publicMessage: `The body may have at most ${String(BODY_BYTES_MAX)} bytes.`,
      headers: { connection: "close" },
    });
  }
  const hasBody = req.headers["content-length"] !== undefined || req.headers["transfer-encoding"];
  const type = req.headers["content-type"];
  if (req.headers["transfer-encoding"] !== undefined) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "Send the body with a Content-Length.",
      headers: { connection: "close" },
    });
  }
  if (hasBody && type !== undefined && !/^application\/json\b/i.test(type)) {
    throw new AppError({
      code: "UNSUPPORTED_MEDIA_TYPE",
      publicMessage: "Send the body as application/json.",
    });
  }
}

export type ContractHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  context: HttpContext,
) => Promise<boolean>;

/**
 * Serves the routes of the contract under `/v1`, with problem documents for every failure.
 *
 * @returns A handler that answers true when it took the request, false when no operation has its method and path.
 */
export function createContractHandler(
  router: AnyRouter,
  deps: { renderProblem: ProblemRenderer; onFailure(error: unknown, context: HttpContext): void },
): ContractHandler {
  const handler = new OpenAPIHandler<HttpContext>(router, {
    interceptors: [
      async (options) => {
        try {
          return await options.next();
        } catch (thrown) {
          const error = fromContractError(thrown);
          deps.onFailure(error, options.context);
          const problem = deps.renderProblem(error, options.context.requestId);
          return {
            matched: true,
            response: {
              status: problem.status,
              headers: problem.headers,
              // A stream, because the library gives any other body the content type application/json.
              body: new Blob([JSON.stringify(problem.body)]).stream(),
            },
          };
        }
      },
    ],
  });
  return async (req, res, context) => {
    assertBodyAllowed(req);
    const { matched } = await handler.handle(req, res, { prefix: "/v1", context });
    return matched;
  };
}
