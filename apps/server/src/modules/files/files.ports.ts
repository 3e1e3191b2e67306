import type { Tx } from "@turnpike/db/client";

/** Finds which of these bytes belong to somebody else than the files of tenants, so that the sweep leaves them. */
export type FindOwned = (tx: Tx, fileIds: readonly string[]) => Promise<ReadonlySet<string>>;
