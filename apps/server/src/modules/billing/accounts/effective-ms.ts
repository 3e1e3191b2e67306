import type { AccountRow } from "./accounts.store.ts";

const MINUTE_MS = 60_000;

/**
 * The instant at which something that is asked for now takes effect: the start of this minute, because the ledger counts usage by
 * minutes, but never before what has happened already.
 */
export function effectiveMs(nowMs: number, row: AccountRow | undefined): number {
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  return Math.max(minuteMs, row?.advancedTo.getTime() ?? 0);
}
