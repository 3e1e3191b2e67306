import { AppError } from "@turnpike/domain/errors/app-error";
import { findFullPlaces, shareOfLimit } from "@turnpike/domain/limits/call-places";
import type { RateLimit, RateLimitDecision } from "@turnpike/domain/limits/rate-limit";
import type { MemoryRateStore } from "./memory-rate-store.ts";
import type { OwnPlaces } from "./own-places.ts";
import { type RateRequest, toDecisions } from "./rate-store.ts";

export type ClusterRateAnswer = {
  isTaken: boolean;
  /** The first of the places that were asked for of which none was left. */
  fullPlace?: number | undefined;
  /** How many of each of the places are held, this call's included; those that others may hold are counted while it is not known. */
  held: readonly number[];
  /** A decision under each limit that was asked for, in its order. */
  decisions: readonly RateLimitDecision[];
};

/** A bucket without a share in this process is refused; its next call may come to another one. */
const NO_SHARE_RETRY_MS = 1_000;

function refuseWithoutShare(request: RateRequest): RateLimitDecision[] {
  return request.buckets.map(({ rateLimit }) => ({
    allowed: request.cost === 0,
    remaining: 0,
    retryAfterMs: NO_SHARE_RETRY_MS,
    resetAfterMs: rateLimit.windowSeconds * 1_000,
    next: { fullAtMs: 0 },
  }));
}

/**
 * Decides a call by the share of this process, while the store of limits is away.
 *
 * @param by.onTaken - Called when the call takes of its limits.
 * @throws {AppError} `LIMITS_UNAVAILABLE` before the store was reached once: the share is not known.
 */
export function decideAlone(
  request: RateRequest,
  by: { places: OwnPlaces; store: MemoryRateStore; onTaken: (request: RateRequest) => void },
): ClusterRateAnswer {
  const { places, store } = by;
  if (places.members === undefined) {
    throw new AppError({
      code: "LIMITS_UNAVAILABLE",
      publicMessage: "The rate limits cannot be decided right now. Try again in a moment.",
      headers: { "retry-after": "2" },
    });
  }
  const asked = request.places ?? [];
  const states = asked.map((one) => ({
    limit: places.ownMaxOf(one),
    sharePercent: one.sharePercent,
    held: places.heldOf(one.name),
    own: places.heldOf(one.name),
  }));
  const toHeld = () =>
    asked.map((one) => places.heldOf(one.name) + one.limit - places.ownMaxOf(one));
  const shareOf = (rateLimit: RateLimit) => ({
    ...rateLimit,
    limit: shareOfLimit(rateLimit.limit, places.place),
  });
  const buckets = request.buckets.map(({ name, rateLimit }) => ({
    name,
    rateLimit: shareOf(rateLimit),
  }));
  if (buckets.some(({ rateLimit }) => rateLimit.limit === 0)) {
    const decisions = refuseWithoutShare(request);
    return { isTaken: request.cost === 0, decisions, held: toHeld() };
  }
  const fullPlace = findFullPlaces(states, request.cost);
  const shared = { ...request, buckets, ...(fullPlace === undefined ? {} : { cost: 0 }) };
  const answer = store.decideNow({ ...shared, places: [] });
  const isTaken = answer.isTaken && fullPlace === undefined;
  if (isTaken && request.cost !== 0) {
    by.onTaken(request);
  }
  return { isTaken, fullPlace, held: toHeld(), decisions: toDecisions(shared, answer) };
}
