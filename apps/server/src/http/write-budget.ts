import { type Actor, isTenantProgram, nameSender } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import {
  decideRateLimit,
  type RateLimit,
  type RateLimitState,
} from "@turnpike/domain/limits/rate-limit";

/** Takes one change from the budget of its sender. @throws {AppError} `TOO_MANY_WRITES`. */
export type TakeWrite = (actor: Actor | undefined) => void;

/** Charges a sender for changes that are made already, up to a minute's: its next ones wait. */
export type ChargeWrites = (actor: Actor, changes: number) => void;

/** Senders with a bucket that may not be full. Beyond that all begin anew, which costs a sender nothing. */
const SENDERS_MAX = 50_000;

/** False for operators and their programs: they act for many tenants, and may do so as fast as they can. */
export function isBoundSender(actor: Actor): boolean {
  return isTenantProgram(actor) || (actor.type === "user" && !actor.isOperator);
}

/**
 * Bounds how fast one sender may change things: each change is a transaction, an entry in the audit trail and a message to
 * every process. A tenant with all of its keys is one sender, and so is each person.
 *
 * @param perMinute - Changes in a minute, and at once by a sender that has rested for one.
 */
export function createWriteBudget(
  perMinute: number,
  monotonicMs: () => number,
): { take: TakeWrite; charge: ChargeWrites } {
  const rateLimit: RateLimit = { name: "writes", limit: perMinute, windowSeconds: 60 };
  const states = new Map<string, RateLimitState>();
  const charge: ChargeWrites = (actor, changes) => {
    if (!isBoundSender(actor)) {
      return;
    }
    const sender = nameSender(actor);
    const fullAtMs = Math.max(states.get(sender)?.fullAtMs ?? 0, monotonicMs());
    const costMs = (Math.min(changes, perMinute) * 60_000) / perMinute;
    states.set(sender, { fullAtMs: fullAtMs + costMs });
  };
  const take: TakeWrite = (actor) => {
    if (actor === undefined || !isBoundSender(actor)) {
      return;
    }
    const sender = nameSender(actor);
    const { allowed, retryAfterMs, next } = decideRateLimit({
      rateLimit,
      state: states.get(sender) ?? { fullAtMs: 0 },
      cost: 1,
      nowMs: monotonicMs(),
    });
    if (!allowed) {
      throw new AppError({
        code: "TOO_MANY_WRITES",
        publicMessage: `At most ${String(perMinute)} changes a minute. Try again in a moment.`,
        headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) },
      });
    }
    if (states.size >= SENDERS_MAX) {
      states.clear();
    }
    states.set(sender, next);
  };
  return { take, charge };
}
