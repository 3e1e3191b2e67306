import type { Actor } from "@turnpike/domain/access/actor";

type Change = { kind: string; tenantId: string | null; entityId: string } | { kind: "reset" };

/** Tells of what other processes changed; `platform/change-feed.ts` is one. */
export interface ChangeSource {
  /** @returns What ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void;
  /** False while what other processes send does not arrive at once. */
  isWokenUp(): boolean;
}

/** Finds who holds a credential now: a key may have been revoked since a stream was opened. */
export type FindCaller = (
  credential: string,
  findAddress: () => string,
) => Actor | undefined | Promise<Actor | undefined>;
