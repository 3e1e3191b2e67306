import { ID_PREFIXES } from "@turnpike/domain/ids/ids";
import { type Filter, toAttributeName } from "./parse-filter.ts";
import type { PatchOperation } from "./parse-patch.ts";
import { attributeOf, isObject, readIdentifier, readLine } from "./read-attributes.ts";
import { invalidValue, ScimError } from "./scim-error.ts";

export type GroupAttributes = {
  displayName: string;
  externalId: string | null;
  /** Ids of users. */
  members: ReadonlySet<string>;
};

/** Enough for a directory's portions, and little enough for one transaction. */
export const GROUP_CHANGES_MAX = 1_000;

/** @throws {ScimError} `invalidValue` for what names no user. */
export function readMembers(value: unknown): string[] {
  const list: unknown[] = value === undefined || value === null ? [] : [value].flat();
  return list.map((one) => {
    const id = isObject(one) ? attributeOf(one, "value") : one;
    if (typeof id !== "string" || !id.startsWith(`${ID_PREFIXES.scimUser}_`)) {
      throw invalidValue("A member must be the id of a user; groups in groups are not supported.");
    }
    return id;
  });
}

/** @throws {ScimError} `invalidValue`. */
export function requireGroupName(value: unknown): string {
  const name = readLine(value, "displayName");
  if (name === null) {
    throw invalidValue("displayName is missing.");
  }
  return name;
}

/** A body of `POST` or `PUT`. @throws {ScimError} */
export function parseGroup(body: unknown): GroupAttributes {
  if (!isObject(body)) {
    throw new ScimError(400, "The body must be a group.", { scimType: "invalidSyntax" });
  }
  return {
    displayName: requireGroupName(attributeOf(body, "displayName")),
    externalId: readIdentifier(attributeOf(body, "externalId"), "externalId"),
    members: new Set(readMembers(attributeOf(body, "members"))),
  };
}

/** The member of `members[value eq "…"]`. @throws {ScimError} `invalidPath` for another filter. */
function memberOf(filter: Filter): string {
  if (
    filter.op === "eq" &&
    toAttributeName(filter.attrPath) === "value" &&
    typeof filter.compValue === "string"
  ) {
    return filter.compValue;
  }
  throw new ScimError(400, 'A member is chosen by members[value eq "…"].', {
    scimType: "invalidPath",
  });
}

/** Changes the set: a directory sends a thousand of these at once. */
function patchMembers(members: Set<string>, { op, filter, value }: PatchOperation): void {
  if (filter !== undefined) {
    const named = memberOf(filter);
    if (op === "remove") {
      members.delete(named);
    }
    return;
  }
  const given = readMembers(value);
  if (op === "replace" || (op === "remove" && given.length === 0)) {
    members.clear();
  }
  for (const id of given) {
    if (op === "remove") {
      members.delete(id);
    } else {
      members.add(id);
    }
  }
}

/** A group after a `PATCH`. Attributes that are not kept are ignored. @throws {ScimError} */
export function patchGroup(
  group: GroupAttributes,
  operations: readonly PatchOperation[],
): GroupAttributes {
  const members = new Set(group.members);
  let { displayName, externalId } = group;
  for (const operation of operations) {
    const value = operation.op === "remove" ? undefined : operation.value;
    switch (operation.attribute) {
      case "displayname":
        displayName = requireGroupName(value);
        break;
      case "externalid":
        externalId = readIdentifier(value, "externalId");
        break;
      case "members":
        patchMembers(members, operation);
        break;
      default:
        break;
    }
  }
  return { displayName, externalId, members };
}
