import { OVERDUE_AGES } from "@turnpike/domain/billing/revenue/overdue-ages";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Due dates before which invoices are of each age, the newest age first. */
export function agesAt(now: Date): Date[] {
  return OVERDUE_AGES.map(({ fromDays }) => new Date(now.getTime() - fromDays * DAY_MS));
}
