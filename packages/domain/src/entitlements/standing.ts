/**
 * Where a tenant stands with its payments. `overdue` and `grace` refuse nothing: the tenant has an open invoice, and then a
 * last deadline. `blocked` is past that deadline. `capped` has spent up to its cap in money.
 */
export const STANDINGS = ["current", "overdue", "grace", "blocked", "capped"] as const;
export type Standing = (typeof STANDINGS)[number];
