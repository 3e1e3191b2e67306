import { inSentence } from "@turnpike/ui/language";
import { formatCount } from "#platform/format.ts";

/** What happened, by the verb of the audit trail. */
const TITLES: Readonly<Record<string, string>> = {
  "key.created": "Key created",
  "key.updated": "Key changed",
  "key.disabled": "Key disabled",
  "key.enabled": "Key enabled",
  "key.rolled": "Key rolled",
  "key.revoked": "Key revoked",
  "key.leak_found": "Leaked key found",
  "key.leak_revoked": "Leaked key found and revoked",
  "tenant.created": "Tenant created",
  "tenant.deleted": "Tenant deleted",
  "tenant.restored": "Tenant restored",
  "tenant.standing_changed": "Payment standing changed",
  "tenant.limits_changed": "Limits changed",
  "tenant.transferred": "Tenant passed on",
  "member.added": "Member added",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "role.created": "Role created",
  "role.updated": "Role changed",
  "role.deleted": "Role deleted",
  "invitation.created": "Invitation sent",
  "invitation.accepted": "Invitation accepted",
  "invitation.revoked": "Invitation revoked",
  "webhook.created": "Webhook added",
  "webhook.updated": "Webhook changed",
  "webhook.deleted": "Webhook deleted",
  "webhook.secret_rotated": "Webhook secret replaced",
  "webhook.auto_disabled": "Webhook disabled after failures",
  "webhook.paused": "Webhook paused",
  "export.created": "Export requested",
  "export.deleted": "Export deleted",
  "alert.created": "Alert created",
  "alert.updated": "Alert changed",
  "alert.paused": "Alert paused",
  "alert.resumed": "Alert resumed",
  "alert.tested": "Test alert sent",
  "alert.deleted": "Alert deleted",
  "quota_alerts.updated": "Quota notifications changed",
  "acting.started": "Operator acts",
  "acting.ended": "Operator stopped acting",
  "audit.exported": "Audit log exported",
  "agent_grant.created": "Agent connected",
  "agent_grant.revoked": "Agent disconnected",
  "agent_grant.ended": "Agent disconnected",
};

/** What a change of a tenant is called when it is the only one, by the field of its details. */
const CHANGE_TITLES: Readonly<Record<string, string>> = {
  plan_id: "Plan changed",
  plan_version: "Plan changed",
  name: "Tenant renamed",
  slug: "Slug changed",
  suspended: "Suspension changed",
};

type Details = Readonly<Record<string, unknown>>;

/** The part of an entry of the audit trail that says what happened. */
export type Activity = {
  actorType: string;
  actorId: string;
  action: string;
  entityId: string;
  details: Details;
};

/** What ids stand for. */
export type ActivityNames = {
  /** People by their id. */
  people: ReadonlyMap<string, string>;
  /** The id of who reads. */
  readerId: string;
  /** True where not everyone could be asked for: who is not among the people may well be a member. */
  arePartial?: boolean;
};

/** The actor of an activity, and the rest of the sentence: "Ada" "changed the role of Bob from viewer to admin". */
export type ActivitySentence = { actor: string; what: string };

/**
 * Writes an action in words: `key.rolled` gives "Key rolled", and one that is not known is shown as its words.
 *
 * @param details - Of the entry: a tenant that changed says which part of it did, when it is one. Left out: not known.
 */
export function toActivityTitle(action: string, details: Details = {}): string {
  if (action === "tenant.updated") {
    const titles = new Set(Object.keys(details).map((field) => CHANGE_TITLES[field]));
    const [only] = titles;
    return (titles.size === 1 ? only : undefined) ?? "Tenant changed";
  }
  const words = action.replaceAll(/[._]/g, " ");
  return TITLES[action] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The name of what it happened to, where the trail has one. */
export function toActivitySubject(details: Details): string | undefined {
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

/** The name of what, or of whom, it happened to: the trail has names of things, and of people their ids. */
export function toActivityObject(
  { action, entityId, details }: Pick<Activity, "action" | "entityId" | "details">,
  people: ReadonlyMap<string, string> = new Map(),
): string | undefined {
  return action.startsWith("member.") ? people.get(entityId) : toActivitySubject(details);
}

/** The reason with which an operator acted, in what they did meanwhile. */
function findActingReason({ acting }: Details): string | undefined {
  const reason =
    typeof acting === "object" && acting !== null && "reason" in acting ? acting.reason : undefined;
  return typeof reason === "string" ? reason : undefined;
}

/** Writes an entry as a sentence. An action that is not known is said by its words. */
export function toActivitySentence(activity: Activity, names: ActivityNames): ActivitySentence {
  const { action, details } = activity;
  const subject = toActivitySubject(details);
  const known = SENTENCES[action]?.(activity, names);
  const words = `did: ${inSentence(toActivityTitle(action))}`;
  const what = known ?? (subject === undefined ? words : `${words}, ${subject}`);
  const reason = findActingReason(details);
  return {
    actor: nameActor(activity, names),
    what: reason === undefined ? what : `${what}, acting for the tenant: “${reason}”`,
  };
}

/** Why the system disconnected an agent. */
const WHY_AGENTS_END: Readonly<Record<string, string>> = {
  token_used_twice: ", because one of its tokens was used twice: it may have been copied",
  given_back: ", because it signed out",
  replaced: ", because its person connected many newer ones",
  second_factor_changed: ", because the second factor of its person changed",
  password_changed: ", because its person changed their password",
  sso_required: ", because single sign-on is required",
  address_proven: ", because the address of its person was proven by another",
};

/** Kinds of actors that are no person. */
const PROGRAMS: Readonly<Record<string, string>> = {
  operator: "The operator, from the command line,",
  service_key: "The operator’s program",
  key: "An API key",
  agent: "A connected agent",
  system: "The system",
};

function nameActor(
  { actorType, actorId, action, details }: Activity,
  names: ActivityNames,
): string {
  if (actorType !== "user") {
    return PROGRAMS[actorType] ?? actorType;
  }
  const isOperator = findActingReason(details) !== undefined || action.startsWith("acting.");
  if (isOperator && actorId !== names.readerId) {
    return "An operator";
  }
  // Operators act in tenants that they are no members of, and people leave.
  const unknown = names.arePartial === true ? "Someone" : "A non-member";
  return actorId === names.readerId ? "You" : (names.people.get(actorId) ?? unknown);
}

type Write = (activity: Activity, names: ActivityNames) => string;

function ofKey(verb: string): Write {
  return ({ details }) => `${verb} the key ${toActivitySubject(details) ?? "without a name"}`;
}

function ofAlert(verb: string): Write {
  return ({ details }) => `${verb} the alert ${toActivitySubject(details) ?? "without a name"}`;
}

/** Leaks were recorded without the name of the key before. */
function nameLeakedKey(details: Details): string {
  const name = toActivitySubject(details);
  return name === undefined ? "a key" : `the key ${name}`;
}

const SENTENCES: Readonly<Record<string, Write>> = {
  "tenant.limits_changed": ({ details }) =>
    `changed the limits of the tenant: “${toText(details["reason"])}”`,
  "acting.started": ({ details }) => `began to act for the tenant: “${toText(details["reason"])}”`,
  "acting.ended": () => "stopped acting for the tenant",
  "key.created": ofKey("created"),
  "key.updated": ofKey("changed"),
  "key.disabled": ofKey("disabled"),
  "key.enabled": ofKey("enabled"),
  "key.rolled": ofKey("rolled"),
  "key.revoked": ofKey("revoked"),
  "key.leak_found": ({ details }) => `found ${nameLeakedKey(details)} in public`,
  "key.leak_revoked": ({ details }) => `found ${nameLeakedKey(details)} in public and revoked it`,
  "tenant.created": ({ details }) => `created the tenant ${toText(details["name"])}`,
  "tenant.updated": ({ details }) => listTenantChanges(details),
  "tenant.deleted": ({ details }) => `deleted the tenant ${toText(details["name"])}`,
  "tenant.restored": () => "restored the tenant",
  "tenant.standing_changed": ({ details }) =>
    `changed the payment standing${toChange(details["standing"])}`,
  "tenant.transferred": ({ details }, names) =>
    `passed the tenant on to ${namePerson(toText(details["to"]), names)}`,
  "member.added": (activity, names) => {
    const role = toText(toLast(activity.details["role"]));
    return activity.entityId === activity.actorId
      ? `became ${role}`
      : `added ${namePerson(activity.entityId, names)} as ${role}`;
  },
  "member.role_changed": (activity, names) =>
    `changed ${nameRoleOf(activity, names)}${toChange(activity.details["role"])}`,
  "member.removed": tellRemoval,
  "role.created": ({ details }) => `made the role ${toText(details["name"])}`,
  "role.updated": ({ details }) => {
    const added = toCount(details["added"]);
    const removed = toCount(details["removed"]);
    const name = toText(toLast(details["name"]));
    return added + removed === 0
      ? `changed the role ${name}`
      : `changed what the role ${name} may do (${formatCount(added)} more, ${formatCount(removed)} less)`;
  },
  "role.deleted": ({ details }) =>
    details["replacement"] === null
      ? `deleted the role ${toText(details["name"])}`
      : `deleted the role ${toText(details["name"])}; who had it is now ${toText(details["replacement"])}`,
  "invitation.created": ({ details }) =>
    `invited ${toText(details["email"])} as ${toText(details["role"])}`,
  "invitation.accepted": ({ details }) => `accepted the invitation as ${toText(details["role"])}`,
  "invitation.revoked": ({ details }) => `revoked the invitation of ${toText(details["email"])}`,
  "file.uploaded": ({ details }) => `uploaded the file ${toText(details["name"])}`,
  "file.deleted": () => "deleted a file",
  "notification.created": () => "sent a notification",
  "export.created": ({ details }) => `requested the export ${toText(details["name"])}`,
  "export.deleted": ({ details }) => `deleted the export ${toText(details["name"])}`,
  "audit.exported": ({ details }) =>
    hasFilters(details) ? "exported a part of the audit log" : "exported the audit log",
  "alert.created": ofAlert("created"),
  "alert.updated": ofAlert("changed"),
  "alert.paused": ofAlert("paused"),
  "alert.resumed": ofAlert("resumed"),
  "alert.tested": ofAlert("sent a test of"),
  "alert.deleted": ofAlert("deleted"),
  "quota_alerts.updated": () => "changed the quota notifications",
  "agent_grant.created": ({ details }) => `connected the agent ${toText(details["name"])}`,
  "agent_grant.ended": ({ details }) =>
    `disconnected the agent ${toText(details["name"])}${WHY_AGENTS_END[toText(details["why"])] ?? ""}`,
  "agent_grant.revoked": ({ details }) => `disconnected the agent ${toText(details["name"])}`,
  "proposal.created": ({ details }) => `proposed to ${toText(details["change"])}`,
  "proposal.accepted": ({ details }) => `accepted a proposal to ${toText(details["change"])}`,
  "proposal.declined": ({ details }) => `declined a proposal to ${toText(details["change"])}`,
};

function hasFilters({ filters }: Details): boolean {
  return typeof filters === "object" && filters !== null && Object.keys(filters).length > 0;
}

function toCount(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function tellRemoval({ entityId, actorId, details }: Activity, names: ActivityNames): string {
  if (details["why"] === "account_deleted") {
    return "removed a member who had deleted their account";
  }
  const what =
    entityId === actorId
      ? "left the tenant"
      : `removed ${namePerson(entityId, names)}, who was ${toText(toFirst(details["role"]))}`;
  const keys = toCount(details["liveKeys"]);
  const webhooks = toCount(details["pausedWebhooks"]);
  return [
    what,
    ...(keys === 0
      ? []
      : [`${formatCount(keys)} of their keys still work${keys === 1 ? "s" : ""}`]),
    ...(webhooks === 0
      ? []
      : [`${formatCount(webhooks)} of their webhooks ${webhooks === 1 ? "is" : "are"} paused`]),
  ].join("; ");
}

function listTenantChanges(details: Details): string {
  const verbs = [
    ["name", "renamed the tenant"],
    ["slug", "changed the slug"],
    ["plan_id", "moved the tenant"],
  ] as const;
  const changes = verbs.flatMap(([field, verb]) =>
    details[field] === undefined ? [] : [`${verb}${toChange(details[field])}`],
  );
  if (details["plan_id"] === undefined && details["plan_version"] !== undefined) {
    changes.push("moved the tenant to the newest version of its plan");
  }
  if (details["suspended"] !== undefined) {
    const isSuspended = toLast(details["suspended"]) === true;
    changes.push(isSuspended ? "suspended the tenant" : "resumed the tenant");
  }
  return changes.length === 0 ? "saved the tenant without changes" : changes.join(", ");
}

function nameRoleOf({ entityId, actorId }: Activity, names: ActivityNames): string {
  const isOwn = entityId === actorId;
  if (entityId === names.readerId) {
    return isOwn ? "your own role" : "your role";
  }
  return isOwn ? "their own role" : `the role of ${namePerson(entityId, names)}`;
}

function namePerson(id: string, { people, readerId, arePartial }: ActivityNames): string {
  const unknown = arePartial === true ? "someone" : "a non-member";
  return id === readerId ? "you" : (people.get(id) ?? unknown);
}

function toChange(pair: unknown): string {
  return ` from ${toText(toFirst(pair))} to ${toText(toLast(pair))}`;
}

function toFirst(pair: unknown): unknown {
  return Array.isArray(pair) ? pair[0] : pair;
}

function toLast(pair: unknown): unknown {
  return Array.isArray(pair) ? pair.at(-1) : pair;
}

function toText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "something";
}
