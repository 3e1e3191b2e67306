import { AppError } from "@turnpike/domain/errors/app-error";
import type { PermitCounts } from "#platform/permit-counts.ts";
import { MutexBusyError } from "#platform/shared-mutex.ts";
import { PermitCountsFullError } from "#platform/shared-permit-counts.ts";

/** A limit on the calls of one owner, a tenant's environment or a key, that may be under way at once. */
export type ConcurrencyLimit = { owner: string; limit: number };

/**
 * Takes a permit for an owner.
 *
 * @throws {AppError} `OVERLOADED` when more owners hold permits than there is room for.
 */
export function takePermit(counts: PermitCounts, owner: string, max: number): boolean {
  try {
    return counts.tryTake(owner, max);
  } catch (error) {
    if (error instanceof PermitCountsFullError || error instanceof MutexBusyError) {
      throw new AppError({
        code: "OVERLOADED",
        publicMessage: "Too many calls are under way. Try again in a moment.",
        headers: { "retry-after": "1" },
        cause: error,
      });
    }
    throw error;
  }
}

/** The permits of one call: one of each limit. Kept until the call is over. */
export class CallPermits {
  readonly #counts: PermitCounts;
  readonly #owners: string[] = [];

  constructor(counts: PermitCounts) {
    this.#counts = counts;
  }

  /**
   * Takes a permit of one limit.
   *
   * @returns False when all are taken.
   * @throws {AppError} `OVERLOADED`; see {@link takePermit}.
   */
  tryTake({ owner, limit }: ConcurrencyLimit): boolean {
    const isTaken = takePermit(this.#counts, owner, limit);
    if (isTaken) {
      this.#owners.push(owner);
    }
    return isTaken;
  }

  /** Returns all of them. Idempotent. */
  release(): void {
    for (const owner of this.#owners.splice(0)) {
      this.#counts.giveBack(owner);
    }
  }
}
