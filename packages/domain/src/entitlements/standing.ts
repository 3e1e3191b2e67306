/**
 * The payment standing of a tenant. `overdue` has an open invoice past its due date, and `grace` a last deadline; both refuse
 * nothing. `blocked` is past that deadline. `capped` has spent up to its cap in money.
 */
export const STANDINGS = ["current", "overdue", "grace", "blocked", "capped"] as const;
export type Standing = (typeof STANDINGS)[number];
