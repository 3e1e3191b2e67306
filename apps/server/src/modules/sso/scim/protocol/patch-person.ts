import { filter as toPredicate } from "scim2-parse-filter";
import type { Filter } from "./parse-filter.ts";
import type { PatchOperation } from "./parse-patch.ts";
import { type PersonAttributes, requireUserName } from "./person-attributes.ts";
import { readBoolean, readEmails, readIdentifier, readLine } from "./read-attributes.ts";

/** Names of attributes in lower case: the library compares them as they are written. */
function lowered(filter: Filter): Filter {
  switch (filter.op) {
    case "and":
    case "or":
      return { ...filter, filters: filter.filters.map(lowered) };
    case "not":
      return { ...filter, filter: lowered(filter.filter) };
    case "[]":
      return { ...filter, valFilter: lowered(filter.valFilter) };
    default:
      return { ...filter, attrPath: filter.attrPath.toLowerCase() };
  }
}

/** One address is kept: the primary one, of work. A filter that means another one changes nothing. */
function isKeptAddress(filter: Filter | undefined, email: string | null): boolean {
  return (
    filter === undefined ||
    toPredicate(lowered(filter))({ value: email, type: "work", primary: true })
  );
}

function applyOne(person: PersonAttributes, operation: PatchOperation): PersonAttributes {
  const { op, attribute } = operation;
  const value = op === "remove" ? undefined : operation.value;
  switch (attribute) {
    case "username":
      return { ...person, userName: requireUserName(value) };
    case "externalid":
      return { ...person, externalId: readIdentifier(value, "externalId") };
    case "displayname":
      return { ...person, displayName: readLine(value, "displayName") };
    case "name.formatted":
      return { ...person, formattedName: readLine(value, "name.formatted") };
    case "name.givenname":
      return { ...person, givenName: readLine(value, "name.givenName") };
    case "name.familyname":
      return { ...person, familyName: readLine(value, "name.familyName") };
    case "active":
      // Without a value a person is active, as when they are created.
      return { ...person, active: op === "remove" || readBoolean(value, "active") };
    case "emails":
    case "emails.value":
      return isKeptAddress(operation.filter, person.email)
        ? { ...person, email: readEmails(value) }
        : person;
    default:
      return person;
  }
}

/** A person after a `PATCH`. Attributes that are not kept are ignored. @throws {ScimError} */
export function patchPerson(
  person: PersonAttributes,
  operations: readonly PatchOperation[],
): PersonAttributes {
  return operations.reduce(applyOne, person);
}
