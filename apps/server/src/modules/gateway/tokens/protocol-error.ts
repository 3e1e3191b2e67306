import type { Problem } from "#http/problem-details.ts";
import type { TokenProtocolName } from "./token-protocols.ts";

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  429: "rate_limit_error",
};

/** Gives a refusal the body that clients of a protocol read. Status and headers stay; so do the members of ours that have no other meaning there. */
export function toProtocolError(
  protocol: TokenProtocolName | undefined,
  problem: Problem,
): Omit<Problem, "body"> & { body: object } {
  if (protocol === undefined || protocol === "custom") {
    return problem;
  }
  const { error: _, message: __, type: page, ...rest } = problem.body;
  const { status, code, detail, requestId } = problem.body;
  const body =
    protocol === "anthropic"
      ? {
          ...rest,
          type: "error",
          error: { type: ANTHROPIC_TYPES[status] ?? "api_error", message: detail },
          request_id: requestId,
          message: detail,
          help: page,
        }
      : {
          ...rest,
          type: page,
          error: {
            message: detail,
            type: OPENAI_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "server_error"),
            param: null,
            code,
          },
          message: detail,
        };
  return {
    ...problem,
    headers: { ...problem.headers, "content-type": "application/json" },
    body,
  };
}
