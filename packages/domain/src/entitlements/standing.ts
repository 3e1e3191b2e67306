/**
 * The payment standing of a tenant. `out_of_credit` has no credit left for calls of some meter of its prepaid plan: what fits passes. `overdue` has an open invoice past its due date, and `grace` a last deadline; both refuse
 * nothing. `blocked` is past that deadline. `capped` has spent up to its cap in money.
 */
export const STANDINGS = [
  "current",
  "out_of_credit",
  "overdue",
  "grace",
  "blocked",
  "capped",
] as const;
export type Standing = (typeof STANDINGS)[number];
