import type { AccountRow } from "./accounts.store.ts";

const MINUTE_MS = 60_000;
/** Within this time every process has heard of a limit. */
const HEARD_WITHIN_MS = 1_000;

/**
 * The instant at which something that is asked for now takes effect: the start of this minute, because the ledger counts usage by
 * minutes, but never before what has happened already.
 */
export function effectiveMs(nowMs: number, row: AccountRow | undefined): number {
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  return Math.max(minuteMs, row?.advancedTo.getTime() ?? 0);
}

/** The first whole minute whose calls were all let through under limits that are set now. */
export function settledMsOf(nowMs: number): number {
  return (Math.floor((nowMs + HEARD_WITHIN_MS) / MINUTE_MS) + 1) * MINUTE_MS;
}
