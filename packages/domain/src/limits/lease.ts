/**
 * A lease is a number of units of a balance that one process may spend without asking (escrow). Leases are cut only under the
 * lock of the balance's row in the database, so that over all processes
 *
 *     used + held by leases + forfeited <= limit
 *
 * holds at every moment, and a hard limit is never overshot. All quantities are whole units of the meter.
 */

/** How long a lease may be spent after it was cut or renewed, in milliseconds. Long enough to bridge a short outage. */
export const LEASE_TTL_MS = 60_000;

/**
 * The holder stops this much earlier than the database lets others take the rest, in milliseconds: many times the drift of two
 * monotonic clocks over {@link LEASE_TTL_MS}.
 */
export const LEASE_SAFETY_MS = 5_000;

/** Units of a lease of a balance whose use is not known yet. A crash forfeits at most what is left of a lease. */
export const LEASE_QUANTITY_MIN = 20;

/**
 * Unless callers wait for more, a lease takes at most one unit in this many of what is left. So leases shrink with the balance, a
 * crash forfeits little, and the last units go to processes with callers for them.
 */
export const LEASE_SHARE_MAX = 8;

/** The time whose use a lease should cover, in milliseconds. */
export const LEASE_HORIZON_MS = 5_000;

/** What the database knows of a balance when units are asked for. */
export type BalanceView = {
  /** The hard limit of the period. */
  limit: number;
  /** Committed to the ledger. */
  used: number;
  /** Held by leases of all processes. */
  held: number;
};

/**
 * Grants units of a balance.
 *
 * @param wanted - Units that callers wait for right now; 0 when the holder asks in advance.
 * @param ratePerMs - Recent use of this balance by this process, units per millisecond, 0 when unknown.
 * @returns Units granted, from 0 to what is left. Never more than is left; at least `wanted` when that much is.
 *
 * Example: limit 50,000, used 0, held 0, wanted 1, rate 0 gives 20; with 100 left and a rate of 1 per ms it gives 12 of
 * the 100 (5,000 would cover five seconds, but an eighth of 100 is 12); with 7 left it gives what is wanted.
 */
export function grantLease(balance: BalanceView, wanted: number, ratePerMs: number): number {
  const left = Math.max(0, balance.limit - balance.used - balance.held);
  const covering = Math.ceil(ratePerMs * LEASE_HORIZON_MS);
  const share = Math.floor(left / LEASE_SHARE_MAX);
  const slice = Math.max(wanted, Math.min(share, Math.max(covering, LEASE_QUANTITY_MIN)));
  // Events may leave a fraction of a unit, which is no room for a call.
  return Math.min(Math.floor(left), slice);
}

/** True when a holder should ask for more before it runs dry: under half of what it had is left. */
export function shouldRefill(remaining: number, filledTo: number): boolean {
  return remaining * 2 < filledTo;
}

/**
 * The instant until which the holder may spend, in its own monotonic milliseconds.
 *
 * @param askedAtMs - When the holder sent its request. The database starts counting no earlier.
 */
export function leaseDeadlineMs(askedAtMs: number): number {
  return askedAtMs + LEASE_TTL_MS - LEASE_SAFETY_MS;
}
