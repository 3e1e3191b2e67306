import type { Tx } from "@turnpike/db/client";

/** A module that stores bytes under ids of its own: the sweep keeps them, and misses those that are gone. */
export type FileOwner = {
  /** Finds which of these files belong to it, of any tenant. */
  findOwned(tx: Tx, fileIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Lists its files by id, of any tenant. */
  listOwned(tx: Tx, page: { afterId: string; limit: number }): Promise<string[]>;
};
