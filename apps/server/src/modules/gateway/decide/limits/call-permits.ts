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

/** What a call holds of its upstream. */
export interface UpstreamPermits {
  /** What the cluster says of the upstream. Undefined where the process alone decides. */
  readonly upstream: PermitVerdict | undefined;
  /** Returns the permit of the upstream, which has answered. Idempotent. */
  releaseUpstream(): void;
}

/** What a call holds until it is over: a permit of each limit. */
export interface CallPermits extends UpstreamPermits {
  /** Returns all of them. Idempotent. */
  release(): void;
}

/** `over-share`: the tenant must wait for calls of its own; `full`: every tenant must wait. */
export type PermitVerdict = "taken" | "over-share" | "full";

/** The permits of one call in this process. */
export class ProcessPermits implements CallPermits {
  readonly upstream = undefined;
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

  releaseUpstream(): void {
    // The pool of the upstream counts by itself.
  }

  release(): void {
    for (const owner of this.#owners.splice(0)) {
      this.#counts.giveBack(owner);
    }
  }
}

/** The permits of one call in the whole cluster. */
export class ClusterPermits implements CallPermits {
  readonly upstream: PermitVerdict | undefined;
  readonly #giveBack: (names: readonly string[]) => void;
  readonly #names: string[];
  readonly #ofUpstream: string[];

  constructor(input: {
    upstream: PermitVerdict | undefined;
    /** Names of places that are held, of limits on the caller and on its upstream. */
    names: readonly string[];
    ofUpstream: readonly string[];
    giveBack: (names: readonly string[]) => void;
  }) {
    this.upstream = input.upstream;
    this.#names = [...input.names];
    this.#ofUpstream = [...input.ofUpstream];
    this.#giveBack = input.giveBack;
  }

  releaseUpstream(): void {
    this.#giveBack(this.#ofUpstream.splice(0));
  }

  release(): void {
    this.#giveBack([...this.#names.splice(0), ...this.#ofUpstream.splice(0)]);
  }
}
