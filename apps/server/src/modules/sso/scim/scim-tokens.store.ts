import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type ScimTokenRow = {
  tenant_id: TenantId;
  scim_token_id: string;
  start: string;
  created_at: Date;
  created_by: string;
  last_used_at: Date | null;
};

const COLUMNS = [
  "tenant_id",
  "scim_token_id",
  "start",
  "created_at",
  "created_by",
  "last_used_at",
] as const;

/** One or two, oldest first. Everything here needs the operator role. */
export async function listScimTokens(tx: Tx, tenantId: TenantId): Promise<ScimTokenRow[]> {
  return await tx<ScimTokenRow[]>`
    select ${tx(COLUMNS)} from scim_tokens where tenant_id = ${tenantId} order by scim_token_id`;
}

export async function insertScimToken(
  tx: Tx,
  row: ScimTokenRow & { token_hash: Buffer },
): Promise<void> {
  await tx`insert into scim_tokens ${tx(row, ...COLUMNS, "token_hash")}`;
}

export async function deleteScimToken(
  tx: Tx,
  tenantId: TenantId,
  scimTokenId: string,
): Promise<boolean> {
  const rows = await tx`
    delete from scim_tokens where tenant_id = ${tenantId} and scim_token_id = ${scimTokenId}
    returning 1`;
  return rows.length === 1;
}

/** The token with this hash, of a tenant that is not deleted. */
export async function findScimTokenByHash(tx: Tx, hash: Buffer): Promise<ScimTokenRow | undefined> {
  const [row] = await tx<ScimTokenRow[]>`
    select s.tenant_id, s.scim_token_id, s.start, s.created_at, s.created_by, s.last_used_at
    from scim_tokens s join tenants using (tenant_id) where s.token_hash = ${hash}`;
  return row;
}

export async function noteTokenUse(tx: Tx, row: ScimTokenRow, now: Date): Promise<void> {
  await tx`
    update scim_tokens set last_used_at = ${now}
    where tenant_id = ${row.tenant_id} and scim_token_id = ${row.scim_token_id}`;
}
