import { RESTORE_DAYS } from "@turnpike/contract/tenants";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The instant after which a tenant deleted at `deletedAt` can no longer be restored. */
export function restorableUntil(deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + RESTORE_DAYS * DAY_MS);
}
