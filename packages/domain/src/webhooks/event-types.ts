/**
 * What webhooks can tell of: noun and what happened. Closed, because receivers build on it: what is here stays, and new ones
 * are added.
 */
export const WEBHOOK_EVENT_TYPES = [
  "key.created",
  "key.updated",
  "key.disabled",
  "key.enabled",
  "key.revoked",
  "key.rolled",
  "key.expiring",
  "key.leaked",
  "keys.imported",
  "tenant.created",
  "tenant.updated",
  "tenant.plan_changed",
  "tenant.suspended",
  "tenant.resumed",
  "tenant.deleted",
  "tenant.restored",
  "member.added",
  "member.role_changed",
  "member.removed",
  "invitation.created",
  "invitation.accepted",
  "invitation.revoked",
  "alert.firing",
  "alert.recovered",
  "quota.threshold_reached",
] as const;

/** In place of types: all there are and will be. */
export const ALL_EVENTS = "*";
