import { AppError } from "@turnpike/domain/errors/app-error";
import { ERROR_CODES, type ErrorCode } from "@turnpike/domain/errors/error-codes";
import type { Denial } from "./decide/denial.ts";
import { toLimitHeaders } from "./limit-headers.ts";

/** Lets a page of any origin read why its call was refused. Credentials are not allowed, so nothing leaks. */
export const DENIAL_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Retry-After, RateLimit, RateLimit-Policy, X-Request-Id",
};

/** Every 401 names the scheme for keys (RFC 9110 section 11.6.1), and whether a key was sent (RFC 6750 section 3). */
export function toChallenge(code: ErrorCode): Record<string, string> {
  if (ERROR_CODES[code].status !== 401) {
    return {};
  }
  const suffix = code === "MISSING_KEY" ? "" : ' error="invalid_token"';
  return { "www-authenticate": `Bearer${suffix}` };
}

/** Where a customer pays, or buys credit, so that calls pass again: beside the page of the plans. Undefined for other refusals. */
export function paymentUrlOf(code: ErrorCode, plansUrl: string): string | undefined {
  return code === "PAYMENT_REQUIRED" ? new URL("billings", plansUrl).href : undefined;
}

/**
 * Turns a denial into what the caller sees.
 *
 * @param input.nowMs - Epoch milliseconds.
 */
export function toDenialError(
  denial: Pick<Denial, "code" | "detail" | "limit" | "retryAfterMs">,
  input: { plansUrl: string; nowMs: number },
): AppError {
  const { limit, retryAfterMs } = denial;
  const paymentUrl = paymentUrlOf(denial.code, input.plansUrl);
  const limitHeaders = limit === undefined ? [] : toLimitHeaders([limit], input.nowMs);
  return new AppError({
    code: denial.code,
    publicMessage: denial.detail,
    extensions: {
      ...(paymentUrl !== undefined && { paymentUrl }),
      ...(limit === undefined
        ? {}
        : {
            limit: {
              name: limit.name,
              scope: limit.scope,
              limit: limit.limit,
              remaining: limit.remaining,
            },
            ...(limit.resetAtMs === undefined
              ? {}
              : { resetAt: new Date(limit.resetAtMs).toISOString() }),
            // Another plan does not change a limit that the tenant gave its key.
            ...(limit.scope === "key" ? {} : { upgradeUrl: input.plansUrl }),
          }),
    },
    headers: {
      ...toChallenge(denial.code),
      ...Object.fromEntries(limitHeaders.map(([name, value]) => [name.toLowerCase(), value])),
      ...(retryAfterMs === undefined
        ? {}
        : { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
    },
  });
}
