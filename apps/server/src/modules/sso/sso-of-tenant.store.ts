import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The single sign-on of a deleted tenant. Its accounts are people's own and stay. */
export const ssoOfTenant = {
  /** Needs the operator role. */
  async forget(tx: Tx, input: { tenantId: TenantId; limit: number }): Promise<number> {
    const { tenantId, limit } = input;
    const identities = await tx`
      delete from sso_identities where ctid = any(array(
        select ctid from sso_identities where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    const domains = await tx`delete from sso_domains where tenant_id = ${tenantId} returning 1`;
    const connections = await tx`
      delete from sso_connections where tenant_id = ${tenantId} returning 1`;
    const members = await tx`
      delete from scim_group_members where ctid = any(array(
        select ctid from scim_group_members where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    const people = await tx`
      delete from scim_users where ctid = any(array(
        select ctid from scim_users where tenant_id = ${tenantId} limit ${limit}))
      returning 1`;
    const groups = await tx`delete from scim_groups where tenant_id = ${tenantId} returning 1`;
    const tokens = await tx`delete from scim_tokens where tenant_id = ${tenantId} returning 1`;
    const requests = await tx`delete from scim_requests where tenant_id = ${tenantId} returning 1`;
    return [identities, domains, connections, members, people, groups, tokens, requests].reduce(
      (sum, rows) => sum + rows.length,
      0,
    );
  },
};
