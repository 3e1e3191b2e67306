import type { Actor } from "@turnpike/domain/access/actor";

/** Tells of what other processes changed; `platform/change-feed.ts` is one. */
export interface ChangeSource {
  /** @returns What ends the subscription. */
  subscribe(
    listener: (
      change: { kind: string; tenantId: string | null; entityId: string } | { kind: "reset" },
    ) => void,
  ): () => void;
}

/** Finds who holds a credential now: a key may have been revoked since a stream was opened. */
export type FindCaller = (
  credential: string,
  findAddress: () => string,
) => Actor | undefined | Promise<Actor | undefined>;
