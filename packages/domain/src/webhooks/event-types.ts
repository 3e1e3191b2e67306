/**
 * The types of webhook events: noun and verb. Receivers build on them, so types are added but never removed.
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
  "spend_cap.threshold_reached",
  "credit.threshold_reached",
  "forecast.runs_out",
  "subscription.changed",
  "invoice.issued",
  "invoice.paid",
  "invoice.voided",
  "credit_note.issued",
  "insight.opened",
  "insight.ended",
] as const;

/** Stands for all present and future types. */
export const ALL_EVENTS = "*";
