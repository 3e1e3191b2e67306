import { denialOf } from "./denials.ts";
import { toLimitHeaders } from "./limit-headers.ts";
import type { LimitState, VerifyReply } from "./verification.ts";

/** An answer instead of the handler's. */
export type Reply = {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** A problem document (RFC 9457). */
  body: string;
};

/** Lets a page of any origin read why its call was refused. The program's own CORS headers win. */
export const DENIAL_CORS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Retry-After, RateLimit, RateLimit-Policy, X-Request-Id",
};

const REFUSING_KINDS: Readonly<Record<string, LimitState["kind"] | undefined>> = {
  RATE_LIMITED: "rate_limit",
  QUOTA_EXCEEDED: "quota",
};

/** Every 401 names the scheme for keys (RFC 9110 section 11.6.1), and whether a key was sent (RFC 6750 section 3). */
function toChallenge(code: string, status: number): Record<string, string> {
  if (status !== 401) {
    return {};
  }
  const suffix = code === "MISSING_KEY" ? "" : ' error="invalid_token"';
  return { "www-authenticate": `Bearer${suffix}` };
}

/** Epoch milliseconds until which a used-up rate limit refuses; with older servers, until the whole limit is back. */
function refusesUntilMs({ limit, windowSeconds, resetAt }: LimitState): number {
  const windowMs = (windowSeconds ?? 0) * 1_000;
  // It refills evenly, one call at a time: the first is back while all the others are still missing.
  return Date.parse(resetAt) - windowMs + windowMs / Math.max(1, limit);
}

/**
 * Which limit refused: of the kind that the code names, one without room for the call. A rate limit counts a call as one, not
 * its cost; of several, the server refuses by the one that takes longest.
 */
function findRefusingLimit(reply: Partial<VerifyReply>, cost: number): LimitState | undefined {
  const kind = REFUSING_KINDS[reply.code ?? ""];
  const ofKind = (reply.limits ?? []).filter((limit) => limit.kind === kind);
  const units = kind === "quota" ? Math.max(1, cost) : 1;
  const full = ofKind.filter((limit) => limit.remaining < units);
  const [first, ...others] = full.length === 0 ? ofKind : full;
  return kind === "quota" || first === undefined
    ? first
    : others.reduce(
        (longest, limit) => (refusesUntilMs(limit) > refusesUntilMs(longest) ? limit : longest),
        first,
      );
}

function secondsUntil(instant: string, epochMs: number): number {
  const ms = Date.parse(instant) - epochMs;
  return Number.isNaN(ms) ? 1 : Math.max(1, Math.ceil(ms / 1_000));
}

/**
 * Writes a denial as the gateway does: problem document, `Retry-After`, RateLimit fields, CORS.
 *
 * @param input.reply - The verdict, or at least its code.
 * @param input.cost - What the call would have taken.
 * @param input.publicUrl - Of Turnpike, without a slash at the end.
 * @param input.epochMs - Now.
 */
export function toDenialReply(input: {
  reply: Partial<VerifyReply> & { code: string; requestId: string };
  cost: number;
  publicUrl: string;
  epochMs: number;
}): Reply {
  const { reply, publicUrl, epochMs } = input;
  const { status, title } = denialOf(reply.code);
  const limit = findRefusingLimit(reply, input.cost);
  const detail = reply.detail ?? `${title}.`;
  const retryAfterSeconds =
    reply.retryAfterSeconds ??
    (limit === undefined ? undefined : secondsUntil(limit.resetAt, epochMs));
  const body = {
    ...(limit === undefined
      ? {}
      : {
          limit: {
            name: limit.name,
            scope: limit.scope,
            limit: limit.limit,
            remaining: limit.remaining,
          },
          resetAt: limit.resetAt,
          // Another plan does not change a limit that the tenant gave its key.
          ...(limit.scope === "key"
            ? {}
            : { upgradeUrl: reply.offer?.url ?? `${publicUrl}/plans` }),
        }),
    ...(reply.paymentUrl === undefined ? {} : { paymentUrl: reply.paymentUrl }),
    ...(reply.missingScopes === undefined ? {} : { missingScopes: reply.missingScopes }),
    type: `${publicUrl}/docs/errors/${reply.code.toLowerCase().replaceAll("_", "-")}`,
    title,
    status,
    detail,
    code: reply.code,
    requestId: reply.requestId,
    errors: [],
    error: detail,
    message: detail,
  };
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-request-id": reply.requestId,
      ...DENIAL_CORS,
      ...toChallenge(reply.code, status),
      ...(limit === undefined ? {} : toLimitHeaders([limit], epochMs, retryAfterSeconds)),
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
    body: JSON.stringify(body),
  };
}
