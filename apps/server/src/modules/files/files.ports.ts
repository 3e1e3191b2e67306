import type { Tx } from "@turnpike/db/client";

/** Finds which of these bytes belong to other modules, so that the sweep keeps them. */
export type FindOwned = (tx: Tx, fileIds: readonly string[]) => Promise<ReadonlySet<string>>;
