import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type DomainRow = {
  tenant_id: TenantId;
  domain: string;
  /** What the TXT record must say. */
  token: string;
  verified_at: Date | null;
  created_at: Date;
};

const COLUMNS = ["tenant_id", "domain", "token", "verified_at", "created_at"] as const;

/** A few, in order of their names. Everything here needs the operator role. */
export async function listDomains(tx: Tx, tenantId: TenantId): Promise<DomainRow[]> {
  return await tx<DomainRow[]>`
    select ${tx(COLUMNS)} from sso_domains where tenant_id = ${tenantId} order by domain`;
}

export async function findDomain(
  tx: Tx,
  tenantId: TenantId,
  domain: string,
): Promise<DomainRow | undefined> {
  const [row] = await tx<DomainRow[]>`
    select ${tx(COLUMNS)} from sso_domains where tenant_id = ${tenantId} and domain = ${domain}`;
  return row;
}

/** @returns False when the tenant claims it already. */
export async function insertDomain(tx: Tx, row: Omit<DomainRow, "verified_at">): Promise<boolean> {
  const rows = await tx`
    insert into sso_domains ${tx(row, "tenant_id", "domain", "token", "created_at")}
    on conflict do nothing returning 1`;
  return rows.length === 1;
}

/** @throws The database's error of a unique index when another tenant has proven it. */
export async function markVerified(
  tx: Tx,
  input: { tenantId: TenantId; domain: string; now: Date },
): Promise<DomainRow | undefined> {
  const [row] = await tx<DomainRow[]>`
    update sso_domains set verified_at = coalesce(verified_at, ${input.now})
    where tenant_id = ${input.tenantId} and domain = ${input.domain}
    returning ${tx(COLUMNS)}`;
  return row;
}

export async function deleteDomain(tx: Tx, tenantId: TenantId, domain: string): Promise<boolean> {
  const rows = await tx`
    delete from sso_domains where tenant_id = ${tenantId} and domain = ${domain} returning 1`;
  return rows.length === 1;
}

export async function isVerifiedDomain(
  tx: Tx,
  tenantId: TenantId,
  domain: string,
): Promise<boolean> {
  const rows = await tx`
    select 1 from sso_domains
    where tenant_id = ${tenantId} and domain = ${domain} and verified_at is not null`;
  return rows.length === 1;
}

/** People whose address is of a proven domain of the tenant, but for its owners, by the ids of their accounts. */
export async function listBoundAccountIds(tx: Tx, tenantId: TenantId): Promise<string[]> {
  const rows = await tx<{ account_id: string }[]>`
    select a.account_id
    from members m
    join users u on u.user_id = m.user_id and u.issuer = 'builtin'
    join accounts a on a.account_id = u.subject
    join sso_domains d on d.tenant_id = m.tenant_id and d.domain = split_part(a.email, '@', -1)
    where m.tenant_id = ${tenantId} and m.role <> 'owner' and not u.is_operator
      and d.verified_at is not null`;
  return rows.map((row) => row.account_id);
}

/**
 * True when people with an address of the domain must sign in at their own provider.
 *
 * @param accountId - Left out: a stranger. An owner of the tenant and an operator need not.
 */
export async function isSsoRequired(
  tx: Tx,
  domain: string,
  accountId: string | undefined,
): Promise<boolean> {
  const rows = await tx`
    select 1 from sso_domains d
    join sso_connections c using (tenant_id)
    join tenants using (tenant_id)
    where d.domain = ${domain} and d.verified_at is not null and c.enabled and c.required
      and not exists (
        select 1 from users u
        left join members m on m.user_id = u.user_id and m.tenant_id = d.tenant_id and m.role = 'owner'
        where u.issuer = 'builtin' and u.subject = ${accountId ?? null}
          and (u.is_operator or m.user_id is not null))`;
  return rows.length === 1;
}
