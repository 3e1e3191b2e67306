/** What happened, by the verb of the audit trail. */
const SENTENCES: Readonly<Record<string, string>> = {
  "key.created": "Key created",
  "key.updated": "Key changed",
  "key.disabled": "Key disabled",
  "key.enabled": "Key enabled",
  "key.rolled": "Key rolled",
  "key.revoked": "Key revoked",
  "tenant.created": "Tenant created",
  "tenant.updated": "Tenant changed",
  "member.added": "Member added",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "invitation.created": "Invitation sent",
  "invitation.accepted": "Invitation accepted",
  "invitation.revoked": "Invitation withdrawn",
};

/** Writes an action in words: `key.rolled` gives "Key rolled", and one that is not known is shown as its words. */
export function toActivityTitle(action: string): string {
  const words = action.replaceAll(/[._]/g, " ");
  return SENTENCES[action] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The name of what it happened to, where the trail has one. */
export function toActivitySubject(details: Record<string, unknown>): string | undefined {
  for (const field of ["name", "email"]) {
    const value = details[field];
    if (typeof value === "string") {
      return value;
    }
    if (Array.isArray(value) && typeof value.at(-1) === "string") {
      return String(value.at(-1));
    }
  }
  return;
}
