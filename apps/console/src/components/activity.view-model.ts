import { plural, t } from "@lingui/core/macro";
import type { Standing } from "@turnpike/domain/entitlements/standing";
import { inSentence } from "@turnpike/ui/language";
import type { SubscriptionAction } from "#platform/billing-queries.ts";
import { formatCount } from "#platform/format.ts";
import { nameRoleByText } from "#platform/may-in-tenant.ts";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { type ActivityDetails, toActivityTitle } from "./activity-titles.ts";
import { PLAIN_ACTIVITIES } from "./plain-activities.ts";

type Details = ActivityDetails;

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
  const plain = PLAIN_ACTIVITIES[action];
  const words = plain ?? t`did: ${inSentence(toActivityTitle(action))}`;
  const joint = plain === undefined ? ", " : ": ";
  const what = known ?? (subject === undefined ? words : `${words}${joint}${subject}`);
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

/** Writes what is said of a thing with a name. */
function ofNamed(write: (name: string) => string): Write {
  return ({ details }) => write(toActivitySubject(details) ?? t`without a name`);
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
  "key.created": ofNamed((name) => t`created the key ${name}`),
  "key.updated": ofNamed((name) => t`changed the key ${name}`),
  "key.disabled": ofNamed((name) => t`disabled the key ${name}`),
  "key.enabled": ofNamed((name) => t`enabled the key ${name}`),
  "key.rolled": ofNamed((name) => t`rolled the key ${name}`),
  "key.revoked": ofNamed((name) => t`revoked the key ${name}`),
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
    t`changed the payment standing${toChange(details["standing"], nameStanding)}`,
  "tenant.transferred": ({ details }, names) =>
    t`passed the tenant on to ${namePerson(toText(details["to"]), names)}`,
  "member.added": (activity, names) => {
    const role = toRole(toLast(activity.details["role"]));
    return activity.entityId === activity.actorId
      ? t`became ${role}`
      : t`added ${namePerson(activity.entityId, names)} as ${role}`;
  },
  "member.role_changed": (activity, names) =>
    t`changed ${nameRoleOf(activity, names)}${toChange(activity.details["role"], toRole)}`,
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
      : t`deleted the role ${toText(details["name"])}; who had it is now ${toRole(details["replacement"])}`,
  "invitation.created": ({ details }) =>
    t`invited ${toText(details["email"])} as ${toRole(details["role"])}`,
  "invitation.accepted": ({ details }) => t`accepted the invitation as ${toRole(details["role"])}`,
  "invitation.revoked": ({ details }) => t`revoked the invitation of ${toText(details["email"])}`,
  "file.uploaded": ({ details }) => t`uploaded the file ${toText(details["name"])}`,
  "file.deleted": () => t`deleted a file`,
  "notification.created": () => t`sent a notification`,
  "export.created": ({ details }) => t`requested the export ${toText(details["name"])}`,
  "export.deleted": ({ details }) => t`deleted the export ${toText(details["name"])}`,
  "audit.exported": ({ details }) =>
    hasFilters(details) ? t`exported a part of the audit log` : t`exported the audit log`,
  "subscription.changed": tellSubscription,
  "alert.created": ofNamed((name) => t`created the alert ${name}`),
  "alert.updated": ofNamed((name) => t`changed the alert ${name}`),
  "alert.paused": ofNamed((name) => t`paused the alert ${name}`),
  "alert.resumed": ofNamed((name) => t`resumed the alert ${name}`),
  "alert.tested": ofNamed((name) => t`sent a test of the alert ${name}`),
  "alert.deleted": ofNamed((name) => t`deleted the alert ${name}`),
  "quota_alerts.updated": () => t`changed the quota notifications`,
  "agent_grant.created": ({ details }) => t`connected the agent ${toText(details["name"])}`,
  "agent_grant.ended": ({ details }) =>
    t`disconnected the agent ${toText(details["name"])}${WHY_AGENTS_END[toText(details["why"])] ?? ""}`,
  "agent_grant.revoked": ({ details }) => t`disconnected the agent ${toText(details["name"])}`,
  "proposal.created": ({ details }) => t`proposed to ${inLanguage(toText(details["change"]))}`,
  "proposal.accepted": ({ details }) =>
    t`accepted a proposal to ${inLanguage(toText(details["change"]))}`,
  "proposal.declined": ({ details }) =>
    t`declined a proposal to ${inLanguage(toText(details["change"]))}`,
};

/** What was done to a subscription, by the `do` of the details. */
const SUBSCRIPTION_SENTENCES: Readonly<Record<string, (details: Details) => string>> = {
  subscribe: ({ planId }) => t`chose the plan ${toText(planId)}`,
  change: ({ planId }) => t`changed to the plan ${toText(planId)}`,
  seats: ({ card, quantity }) => t`set the seats of ${toText(card)} to ${toText(quantity)}`,
  addOn: ({ planId }) => t`added the add-on ${toText(planId)}`,
  removeAddOn: ({ planId }) => t`removed the add-on ${toText(planId)}`,
  cancel: () => t`cancelled the subscription`,
  uncancel: () => t`withdrew the cancellation`,
  pause: () => t`paused the subscription`,
  resume: () => t`resumed the subscription`,
  coupon: ({ couponId }) => t`redeemed the coupon ${toText(couponId)}`,
} satisfies Record<SubscriptionAction["do"], (details: Details) => string>;

function tellSubscription({ details }: Activity): string {
  const what =
    SUBSCRIPTION_SENTENCES[toText(details["do"])]?.(details) ?? t`changed the subscription`;
  const whole =
    details["when"] === "period_end" ? t`${what} (takes effect at the end of the period)` : what;
  return details["environment"] === "test" ? t`${whole}, in the sandbox` : whole;
}

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
      : t`removed ${namePerson(entityId, names)}, who was ${toRole(toFirst(details["role"]))}`;
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
    ["name", (change: string) => t`renamed the tenant${change}`],
    ["slug", (change: string) => t`changed the slug${change}`],
    ["plan_id", (change: string) => t`moved the tenant${change}`],
  ] as const;
  const changes = verbs.flatMap(([field, write]) =>
    details[field] === undefined ? [] : [write(toChange(details[field]))],
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
  if (isOwn) {
    return t`their own role`;
  }
  const name = names.people.get(entityId);
  if (name !== undefined) {
    return t`the role of ${name}`;
  }
  return names.arePartial === true ? t`the role of someone` : t`the role of a non-member`;
}

function namePerson(id: string, { people, readerId, arePartial }: ActivityNames): string {
  const unknown = arePartial === true ? t`someone` : t`a non-member`;
  return id === readerId ? t`you` : (people.get(id) ?? unknown);
}

function toChange(pair: unknown, toWords: (value: unknown) => string = toText): string {
  return t` from ${toWords(toFirst(pair))} to ${toWords(toLast(pair))}`;
}

function toRole(value: unknown): string {
  return nameRoleByText(toText(value));
}

const STANDING_WORDS: Readonly<Record<string, string>> = {
  current: t`in order`,
  out_of_credit: t`without credit`,
  overdue: t`overdue`,
  grace: t`in the grace period`,
  blocked: t`blocked`,
  capped: t`at the spend cap`,
} satisfies Record<Standing, string>;

function nameStanding(value: unknown): string {
  const standing = toText(value);
  return STANDING_WORDS[standing] ?? standing;
}

function toFirst(pair: unknown): unknown {
  return Array.isArray(pair) ? pair[0] : pair;
}

function toLast(pair: unknown): unknown {
  return Array.isArray(pair) ? pair.at(-1) : pair;
}

function toText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : t`something`;
}
