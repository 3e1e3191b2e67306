import type { ServerResponse } from "node:http";
import { isConnectionError, isRetryableError } from "@turnpike/db/database-errors";
import { AppError } from "@turnpike/domain/errors/app-error";
import { ERROR_CODES, type ErrorCode, errorPageSlug } from "@turnpike/domain/errors/error-codes";
import { S3Error } from "#platform/s3-client.ts";

/** The body of every refusal and failure (RFC 9457), with `error` and `message` for clients that read those. */
export type ProblemDetails = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  requestId: string;
  errors: readonly { pointer: string; message: string; fix?: string }[];
  /** The human sentence again: the console's error rule reads this first. */
  error: string;
  message: string;
  [extension: string]: unknown;
};

export type Problem = {
  status: number;
  headers: Record<string, string>;
  body: ProblemDetails;
};

/** Where the pages of the error codes are: the public address of the listener for people. */
export type ProblemRenderer = (error: unknown, requestId: string) => Problem;

export const PROBLEM_JSON = "application/problem+json";

/** Turns anything thrown into the error that the caller may see. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) {
    return error;
  }
  if (isConnectionError(error) || isRetryableError(error)) {
    return new AppError({
      code: "DATABASE_UNAVAILABLE",
      publicMessage: "The database cannot answer right now. Try again in a moment.",
      headers: { "retry-after": "2" },
      cause: error,
    });
  }
  if (error instanceof S3Error) {
    return new AppError({
      code: "FILE_STORE_UNAVAILABLE",
      publicMessage: "The file store cannot answer right now. Try again in a moment.",
      headers: { "retry-after": "2" },
      cause: error,
    });
  }
  return new AppError({
    code: "INTERNAL_ERROR",
    publicMessage: "Something went wrong. The request id finds it in the log.",
    cause: error,
  });
}

/**
 * Makes the renderer of all failures.
 *
 * @param docsUrl - Base address of the documentation, without a slash at the end.
 */
export function createProblemRenderer(docsUrl: string): ProblemRenderer {
  return (error, requestId) => {
    const failure = toAppError(error);
    const { status, title } = ERROR_CODES[failure.code];
    return {
      status,
      headers: {
        "content-type": PROBLEM_JSON,
        "cache-control": "no-store",
        "x-request-id": requestId,
        ...failure.headers,
      },
      body: {
        ...failure.extensions,
        type: `${docsUrl}/errors/${errorPageSlug(failure.code)}`,
        title,
        status,
        detail: failure.message,
        code: failure.code,
        requestId,
        errors: failure.errors,
        error: failure.message,
        message: failure.message,
      },
    };
  };
}

/** Sends a problem. If the answer has begun, cuts the connection instead, so that it does not look complete. */
export function sendProblem(
  res: ServerResponse,
  problem: Pick<Problem, "status" | "headers"> & { body: object },
  extraHeaders: Readonly<Record<string, string>> = {},
): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const text = JSON.stringify(problem.body);
  res.writeHead(problem.status, {
    ...problem.headers,
    ...extraHeaders,
    "content-length": Buffer.byteLength(text),
  });
  res.end(res.req.method === "HEAD" ? undefined : text);
}
