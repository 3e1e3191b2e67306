import { t } from "@lingui/core/macro";

/** Kinds of actors that are no person. */
const PROGRAMS: Readonly<Record<string, string>> = {
  operator: t`The operator, from the command line`,
  service_key: t`The operator’s program`,
  key: t`An API key`,
  system: t`By itself`,
};

/**
 * Names the actor of a billing event.
 *
 * @param actor - Its kind and id: `user:usr_…`, `system:billing`.
 * @param names.people - Members by their id.
 */
export function toEventActor(
  actor: string,
  { readerId, people }: { readerId: string; people: ReadonlyMap<string, string> },
): string {
  const [kind = "", id = ""] = actor.split(":", 2);
  if (kind !== "user") {
    return PROGRAMS[kind] ?? actor;
  }
  // Operators change tenants that they are no members of, and people leave.
  return id === readerId ? t`You` : (people.get(id) ?? t`A non-member`);
}
