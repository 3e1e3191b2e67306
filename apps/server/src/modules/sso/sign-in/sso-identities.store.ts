import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The account of a person of the tenant's provider. Needs the operator role, as everything here. */
export async function findIdentity(
  tx: Tx,
  tenantId: TenantId,
  subject: string,
): Promise<string | undefined> {
  const [row] = await tx<{ account_id: string }[]>`
    select account_id from sso_identities where tenant_id = ${tenantId} and subject = ${subject}`;
  return row?.account_id;
}

/** An account is one person of a provider: a person whom the provider made anew takes the place of the old one. */
export async function linkIdentity(
  tx: Tx,
  row: { tenantId: TenantId; subject: string; accountId: string; now: Date },
): Promise<void> {
  await tx`
    insert into sso_identities (tenant_id, subject, account_id, created_at)
    values (${row.tenantId}, ${row.subject}, ${row.accountId}, ${row.now})
    on conflict (tenant_id, account_id) do update set subject = excluded.subject, created_at = excluded.created_at`;
}

/** Another provider may give the same names to other people. */
export async function forgetIdentities(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`delete from sso_identities where tenant_id = ${tenantId}`;
}
