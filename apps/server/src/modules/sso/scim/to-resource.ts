import { GROUP_SCHEMA, USER_SCHEMA } from "./protocol/discovery.ts";
import type { GroupMemberRow, ScimGroupRow } from "./scim-groups.store.ts";
import type { GroupOfUser, ScimUserRow } from "./scim-users.store.ts";

export type Resource = Record<string, unknown>;

/** Leaves out what is unassigned (RFC 7643, section 2.5). */
function assigned(values: Resource): Resource {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );
}

function toMeta(
  row: { created_at: Date; updated_at: Date },
  resourceType: string,
  location: string,
) {
  return {
    resourceType,
    created: row.created_at.toISOString(),
    lastModified: row.updated_at.toISOString(),
    location,
  };
}

export function toUserResource(
  row: ScimUserRow,
  groups: readonly GroupOfUser[],
  baseUrl: string,
): Resource {
  const name = assigned({
    formatted: row.formatted_name,
    givenName: row.given_name,
    familyName: row.family_name,
  });
  return assigned({
    schemas: [USER_SCHEMA],
    id: row.scim_user_id,
    externalId: row.external_id,
    userName: row.user_name,
    name: Object.keys(name).length === 0 ? null : name,
    displayName: row.display_name,
    active: row.active,
    emails: [{ value: row.email, type: "work", primary: true }],
    groups: groups
      .filter((group) => group.scim_user_id === row.scim_user_id)
      .map((group) => ({
        value: group.scim_group_id,
        display: group.display_name,
        $ref: `${baseUrl}/Groups/${group.scim_group_id}`,
      })),
    meta: toMeta(row, "User", `${baseUrl}/Users/${row.scim_user_id}`),
  });
}

export function toGroupResource(
  row: ScimGroupRow,
  members: readonly GroupMemberRow[],
  baseUrl: string,
): Resource {
  return assigned({
    schemas: [GROUP_SCHEMA],
    id: row.scim_group_id,
    externalId: row.external_id,
    displayName: row.display_name,
    members: members
      .filter((member) => member.scim_group_id === row.scim_group_id)
      .map((member) => ({
        value: member.scim_user_id,
        display: member.user_name,
        $ref: `${baseUrl}/Users/${member.scim_user_id}`,
      })),
    meta: toMeta(row, "Group", `${baseUrl}/Groups/${row.scim_group_id}`),
  });
}
