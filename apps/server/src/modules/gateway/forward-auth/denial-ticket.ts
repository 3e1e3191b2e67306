import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { ERROR_CODES, type ErrorCode, isErrorCode } from "@turnpike/domain/errors/error-codes";
import type { Denial } from "../decide/denial.ts";
import type { LimitView } from "../decide/limits/limit-view.ts";

/**
 * A denial as a proxy carries it from the question to the answer: nginx turns everything but 401 and 403 into 500 and drops
 * the body, so it asks once, keeps the ticket, and has the answer rendered by a second request that decides nothing.
 */
export type TicketedDenial = {
  code: ErrorCode;
  detail: string;
  requestId: string;
  limit: LimitView | undefined;
  retryAfterMs: number | undefined;
};

/** The second request follows within milliseconds; a stale ticket must be worthless. */
const TICKET_LIFE_MS = 30_000;
/** It travels in a header of the proxy's request, and this is well below every proxy's limit. */
const TICKET_LENGTH_MAX = 2_048;

function sign(secret: KeyObject, payload: string): Buffer {
  return createHmac("sha256", secret).update(`denial.${payload}`).digest();
}

/** The part of a denial that a ticket carries. */
export type DenialToTicket = Pick<Denial, "code" | "detail" | "limit" | "retryAfterMs">;

/** Writes a ticket: base64url of the denial, a dot, and its HMAC. */
export function issueDenialTicket(input: {
  secret: KeyObject;
  denial: DenialToTicket;
  requestId: string;
  nowMs: number;
}): string {
  const { code, detail, limit, retryAfterMs } = input.denial;
  const { requestId, nowMs } = input;
  const payload = Buffer.from(
    JSON.stringify({ code, detail, limit, retryAfterMs, requestId, nowMs }),
  ).toString("base64url");
  return `${payload}.${sign(input.secret, payload).toString("base64url")}`;
}

function isSignedBy(secret: KeyObject, payload: string, signature: string): boolean {
  const expected = sign(secret, payload);
  const given = Buffer.from(signature, "base64url");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** @returns `undefined` for a ticket that is not ours, was changed, or is older than half a minute. */
export function readDenialTicket(input: {
  secret: KeyObject;
  ticket: string;
  nowMs: number;
}): TicketedDenial | undefined {
  const { secret, ticket, nowMs } = input;
  const [payload = "", signature = "", ...rest] = ticket.split(".");
  if (ticket.length > TICKET_LENGTH_MAX || rest.length > 0) {
    return;
  }
  if (!isSignedBy(secret, payload, signature)) {
    return;
  }
  // We signed it, so it has the shape that we signed.
  const denial = JSON.parse(
    Buffer.from(payload, "base64url").toString("utf8"),
  ) as TicketedDenial & {
    nowMs: number;
  };
  const ageMs = nowMs - denial.nowMs;
  // Another process of the installation may have signed it with a clock slightly ahead.
  const isFresh = ageMs > -TICKET_LIFE_MS && ageMs < TICKET_LIFE_MS;
  return isFresh && isErrorCode(denial.code) && ERROR_CODES[denial.code].status >= 400
    ? denial
    : undefined;
}
