import type { Actor } from "@turnpike/domain/access/actor";

/** Publishes changes of all processes; `platform/change-feed.ts` is one. */
export interface ChangeSource {
  /** @returns A function that ends the subscription. */
  subscribe(
    listener: (
      change: { kind: string; tenantId: string | null; entityId: string } | { kind: "reset" },
    ) => void,
  ): () => void;
}

/** Finds the current holder of a credential: a key may have been revoked since a stream was opened. */
export type FindCaller = (
  credential: string,
  findAddress: () => string,
) => Actor | undefined | Promise<Actor | undefined>;
