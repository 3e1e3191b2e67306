import type { AppServices } from "#platform/app-services.ts";

/** What a move needs of each of the two cells. */
export type Cell = Pick<AppServices, "transact" | "clock" | "newId" | "logger">;

/** The cell that a tenant leaves, where the command runs, and the one that it moves to. */
export type TwoCells = { here: Cell; there: Cell };

/** Work of any length, which may wait for the other cell: neither a statement nor the transaction is ended by a limit. */
export const UNLIMITED = { timeoutMs: 0 } as const;
