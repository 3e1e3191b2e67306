import type { Actor } from "@turnpike/domain/access/actor";

type Change = { kind: string; tenantId: string | null; entityId: string } | { kind: "reset" };

/** Reports changes of other processes; `platform/change-feed.ts` implements it. */
export interface ChangeSource {
  /** @returns What ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void;
  /** False while messages of other processes do not arrive at once. */
  isWokenUp(): boolean;
}

/** Finds the current holder of a credential: its key may have been revoked since the stream was opened. */
export type FindCaller = (
  credential: string,
  findAddress: () => string,
) => Actor | undefined | Promise<Actor | undefined>;
