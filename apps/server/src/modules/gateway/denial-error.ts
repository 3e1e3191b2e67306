import { AppError } from "@turnpike/domain/errors/app-error";
import type { Denial } from "./decide-call.ts";

/** Lets a page of any origin read why its call was refused; no credentials are allowed along, so nothing leaks. */
export const DENIAL_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Retry-After, X-Request-Id",
};

/** A denial as the caller is told of it. */
export function toDenialError(
  denial: Pick<Denial, "code" | "detail" | "limit" | "retryAfterMs">,
  plansUrl: string,
): AppError {
  const { limit, retryAfterMs } = denial;
  return new AppError({
    code: denial.code,
    publicMessage: denial.detail,
    extensions: {
      ...(limit === undefined
        ? {}
        : {
            limit: { name: limit.name, limit: limit.limit, remaining: limit.remaining },
            resetAt: new Date(limit.resetAtMs).toISOString(),
            upgradeUrl: plansUrl,
          }),
    },
    headers:
      retryAfterMs === undefined
        ? {}
        : { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
  });
}
