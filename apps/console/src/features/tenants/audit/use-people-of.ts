import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "#platform/platform.tsx";
import { nameMember } from "../members/name-member.ts";
import { type TenantId, tenantsQueries } from "../tenants.queries.ts";
import type { AuditSource } from "./audit-source.ts";

/** The names of the people of a log, by their ids: those of a tenant are its members, and of others no list has all. */
export function usePeopleOf(source: AuditSource): {
  people: ReadonlyMap<string, string>;
  /** True where some are missing, as for a role that does not see the members. */
  arePartial: boolean;
  isPending: boolean;
} {
  const { api } = usePlatform();
  const isOfTenant = typeof source !== "string";
  const tenantId = isOfTenant ? source.tenantId : ("" as TenantId);
  const members = useQuery({ ...tenantsQueries.members(api, tenantId), enabled: isOfTenant });
  return {
    people: new Map(members.data?.items.map((member) => [member.userId, nameMember(member)])),
    arePartial: members.data === undefined || members.data.nextCursor !== null,
    isPending: isOfTenant && members.isPending,
  };
}
