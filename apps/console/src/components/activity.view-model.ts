import { plural, t } from "@lingui/core/macro";
import { inSentence } from "@turnpike/ui/language";
import { formatCount } from "#platform/format.ts";

/** What happened, by the verb of the audit trail. */
const TITLES: Readonly<Record<string, string>> = {
  "key.created": t`Key created`,
  "key.updated": t`Key changed`,
  "key.disabled": t`Key disabled`,
  "key.enabled": t`Key enabled`,
  "key.rolled": t`Key rolled`,
  "key.revoked": t`Key revoked`,
  "key.leak_found": t`Leaked key found`,
  "key.leak_revoked": t`Leaked key found and revoked`,
  "tenant.created": t`Tenant created`,
  "tenant.deleted": t`Tenant deleted`,
  "tenant.restored": t`Tenant restored`,
  "tenant.moved_in": t`Tenant moved here`,
  "tenant.moved_out": t`Tenant moved to another cell`,
  "tenant.move_cancelled": t`Move of the tenant cancelled`,
  "tenant.standing_changed": t`Payment standing changed`,
  "tenant.limits_changed": t`Limits changed`,
  "tenant.transferred": t`Tenant passed on`,
  "member.added": t`Member added`,
  "member.role_changed": t`Role changed`,
  "member.removed": t`Member removed`,
  "role.created": t`Role created`,
  "role.updated": t`Role changed`,
  "role.deleted": t`Role deleted`,
  "invitation.created": t`Invitation sent`,
  "invitation.accepted": t`Invitation accepted`,
  "invitation.revoked": t`Invitation revoked`,
  "webhook.created": t`Webhook added`,
  "webhook.updated": t`Webhook changed`,
  "webhook.deleted": t`Webhook deleted`,
  "webhook.secret_rotated": t`Webhook secret replaced`,
  "webhook.auto_disabled": t`Webhook disabled after failures`,
  "webhook.paused": t`Webhook paused`,
  "export.created": t`Export requested`,
  "export.deleted": t`Export deleted`,
  "alert.created": t`Alert created`,
  "alert.updated": t`Alert changed`,
  "alert.paused": t`Alert paused`,
  "alert.resumed": t`Alert resumed`,
  "alert.tested": t`Test alert sent`,
  "alert.deleted": t`Alert deleted`,
  "quota_alerts.updated": t`Quota notifications changed`,
  "acting.started": t`Operator acts`,
  "acting.ended": t`Operator stopped acting`,
  "audit.exported": t`Audit log exported`,
  "file.uploaded": t`File uploaded`,
  "file.deleted": t`File deleted`,
  "notification.created": t`Notification sent`,
  "proposal.created": t`Change proposed`,
  "proposal.accepted": t`Proposal accepted`,
  "proposal.declined": t`Proposal declined`,
  "webhook.tested": t`Webhook tested`,
  "agent_grant.created": t`Agent connected`,
  "agent_grant.revoked": t`Agent disconnected`,
  "agent_grant.ended": t`Agent disconnected`,
};

/** What a change of a tenant is called when it is the only one, by the field of its details. */
const CHANGE_TITLES: Readonly<Record<string, string>> = {
  plan_id: t`Plan changed`,
  plan_version: t`Plan changed`,
  name: t`Tenant renamed`,
  slug: t`Slug changed`,
  suspended: t`Suspension changed`,
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
    return (titles.size === 1 ? only : undefined) ?? t`Tenant changed`;
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
  const words = t`did: ${inSentence(toActivityTitle(action))}`;
  const what = known ?? (subject === undefined ? words : `${words}, ${subject}`);
  const reason = findActingReason(details);
  return {
    actor: nameActor(activity, names),
    what: reason === undefined ? what : t`${what}, acting for the tenant: “${reason}”`,
  };
}

/** Why the system disconnected an agent. */
const WHY_AGENTS_END: Readonly<Record<string, string>> = {
  token_used_twice: t`, because one of its tokens was used twice: it may have been copied`,
  given_back: t`, because it signed out`,
  replaced: t`, because its person connected many newer ones`,
  second_factor_changed: t`, because the second factor of its person changed`,
  password_changed: t`, because its person changed their password`,
  sso_required: t`, because single sign-on is required`,
  address_proven: t`, because the address of its person was proven by another`,
};

/** Kinds of actors that are no person. */
const PROGRAMS: Readonly<Record<string, string>> = {
  operator: t`The operator, from the command line,`,
  service_key: t`The operator’s program`,
  key: t`An API key`,
  agent: t`A connected agent`,
  system: t`The system`,
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
    return t`An operator`;
  }
  // Operators act in tenants that they are no members of, and people leave.
  const unknown = names.arePartial === true ? t`Someone` : t`A non-member`;
  return actorId === names.readerId ? t`You` : (names.people.get(actorId) ?? unknown);
}

type Write = (activity: Activity, names: ActivityNames) => string;

function ofKey(verb: string): Write {
  return ({ details }) => t`${verb} the key ${toActivitySubject(details) ?? t`without a name`}`;
}

function ofAlert(verb: string): Write {
  return ({ details }) => t`${verb} the alert ${toActivitySubject(details) ?? t`without a name`}`;
}

/** Leaks were recorded without the name of the key before. */
function nameLeakedKey(details: Details): string {
  const name = toActivitySubject(details);
  return name === undefined ? t`a key` : t`the key ${name}`;
}

const SENTENCES: Readonly<Record<string, Write>> = {
  "tenant.limits_changed": ({ details }) =>
    t`changed the limits of the tenant: “${toText(details["reason"])}”`,
  "acting.started": ({ details }) => t`began to act for the tenant: “${toText(details["reason"])}”`,
  "acting.ended": () => t`stopped acting for the tenant`,
  "key.created": ofKey("created"),
  "key.updated": ofKey("changed"),
  "key.disabled": ofKey("disabled"),
  "key.enabled": ofKey("enabled"),
  "key.rolled": ofKey("rolled"),
  "key.revoked": ofKey("revoked"),
  "key.leak_found": ({ details }) => t`found ${nameLeakedKey(details)} in public`,
  "key.leak_revoked": ({ details }) => t`found ${nameLeakedKey(details)} in public and revoked it`,
  "tenant.created": ({ details }) => t`created the tenant ${toText(details["name"])}`,
  "tenant.updated": ({ details }) => listTenantChanges(details),
  "tenant.deleted": ({ details }) => t`deleted the tenant ${toText(details["name"])}`,
  "tenant.restored": () => t`restored the tenant`,
  "tenant.moved_in": ({ details }) =>
    t`moved the tenant here from the cell ${toText(details["cell"])}`,
  "tenant.moved_out": ({ details }) =>
    t`moved the tenant ${toText(details["name"])} to the cell ${toText(details["cell"])}`,
  "tenant.move_cancelled": () => t`cancelled the move of the tenant to another cell`,
  "tenant.standing_changed": ({ details }) =>
    t`changed the payment standing${toChange(details["standing"])}`,
  "tenant.transferred": ({ details }, names) =>
    t`passed the tenant on to ${namePerson(toText(details["to"]), names)}`,
  "member.added": (activity, names) => {
    const role = toText(toLast(activity.details["role"]));
    return activity.entityId === activity.actorId
      ? t`became ${role}`
      : t`added ${namePerson(activity.entityId, names)} as ${role}`;
  },
  "member.role_changed": (activity, names) =>
    t`changed ${nameRoleOf(activity, names)}${toChange(activity.details["role"])}`,
  "member.removed": tellRemoval,
  "role.created": ({ details }) => t`made the role ${toText(details["name"])}`,
  "role.updated": ({ details }) => {
    const added = toCount(details["added"]);
    const removed = toCount(details["removed"]);
    const name = toText(toLast(details["name"]));
    return added + removed === 0
      ? t`changed the role ${name}`
      : t`changed what the role ${name} may do (${formatCount(added)} more, ${formatCount(removed)} less)`;
  },
  "role.deleted": ({ details }) =>
    details["replacement"] === null
      ? t`deleted the role ${toText(details["name"])}`
      : t`deleted the role ${toText(details["name"])}; who had it is now ${toText(details["replacement"])}`,
  "invitation.created": ({ details }) =>
    t`invited ${toText(details["email"])} as ${toText(details["role"])}`,
  "invitation.accepted": ({ details }) => t`accepted the invitation as ${toText(details["role"])}`,
  "invitation.revoked": ({ details }) => t`revoked the invitation of ${toText(details["email"])}`,
  "file.uploaded": ({ details }) => t`uploaded the file ${toText(details["name"])}`,
  "file.deleted": () => t`deleted a file`,
  "notification.created": () => t`sent a notification`,
  "export.created": ({ details }) => t`requested the export ${toText(details["name"])}`,
  "export.deleted": ({ details }) => t`deleted the export ${toText(details["name"])}`,
  "audit.exported": ({ details }) =>
    hasFilters(details) ? t`exported a part of the audit log` : t`exported the audit log`,
  "alert.created": ofAlert("created"),
  "alert.updated": ofAlert("changed"),
  "alert.paused": ofAlert("paused"),
  "alert.resumed": ofAlert("resumed"),
  "alert.tested": ofAlert(t`sent a test of`),
  "alert.deleted": ofAlert("deleted"),
  "quota_alerts.updated": () => t`changed the quota notifications`,
  "agent_grant.created": ({ details }) => t`connected the agent ${toText(details["name"])}`,
  "agent_grant.ended": ({ details }) =>
    t`disconnected the agent ${toText(details["name"])}${WHY_AGENTS_END[toText(details["why"])] ?? ""}`,
  "agent_grant.revoked": ({ details }) => t`disconnected the agent ${toText(details["name"])}`,
  "proposal.created": ({ details }) => t`proposed to ${toText(details["change"])}`,
  "proposal.accepted": ({ details }) => t`accepted a proposal to ${toText(details["change"])}`,
  "proposal.declined": ({ details }) => t`declined a proposal to ${toText(details["change"])}`,
};

function hasFilters({ filters }: Details): boolean {
  return typeof filters === "object" && filters !== null && Object.keys(filters).length > 0;
}

function toCount(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function tellRemoval({ entityId, actorId, details }: Activity, names: ActivityNames): string {
  if (details["why"] === "account_deleted") {
    return t`removed a member who had deleted their account`;
  }
  const what =
    entityId === actorId
      ? t`left the tenant`
      : t`removed ${namePerson(entityId, names)}, who was ${toText(toFirst(details["role"]))}`;
  const keys = toCount(details["liveKeys"]);
  const webhooks = toCount(details["pausedWebhooks"]);
  return [
    what,
    ...(keys === 0
      ? []
      : [t`${formatCount(keys)} of their keys still work${plural(keys, { one: "s", other: "" })}`]),
    ...(webhooks === 0
      ? []
      : [
          t`${formatCount(webhooks)} of their webhooks ${plural(webhooks, { one: "is", other: "are" })} paused`,
        ]),
  ].join("; ");
}

function listTenantChanges(details: Details): string {
  const verbs = [
    ["name", t`renamed the tenant`],
    ["slug", t`changed the slug`],
    ["plan_id", t`moved the tenant`],
  ] as const;
  const changes = verbs.flatMap(([field, verb]) =>
    details[field] === undefined ? [] : [`${verb}${toChange(details[field])}`],
  );
  if (details["plan_id"] === undefined && details["plan_version"] !== undefined) {
    changes.push(t`moved the tenant to the newest version of its plan`);
  }
  if (details["suspended"] !== undefined) {
    const isSuspended = toLast(details["suspended"]) === true;
    changes.push(isSuspended ? t`suspended the tenant` : t`resumed the tenant`);
  }
  return changes.length === 0 ? t`saved the tenant without changes` : changes.join(", ");
}

function nameRoleOf({ entityId, actorId }: Activity, names: ActivityNames): string {
  const isOwn = entityId === actorId;
  if (entityId === names.readerId) {
    return isOwn ? t`your own role` : t`your role`;
  }
  return isOwn ? t`their own role` : t`the role of ${namePerson(entityId, names)}`;
}

function namePerson(id: string, { people, readerId, arePartial }: ActivityNames): string {
  const unknown = arePartial === true ? "someone" : t`a non-member`;
  return id === readerId ? "you" : (people.get(id) ?? unknown);
}

function toChange(pair: unknown): string {
  return t` from ${toText(toFirst(pair))} to ${toText(toLast(pair))}`;
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
