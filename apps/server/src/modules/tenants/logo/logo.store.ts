import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The files of a tenant's logo, in the order of `LOGO_PICTURES`. */
export type LogoRow = { logo_id: string | null; logo_files: string[] | null };

/** `undefined` if the tenant does not exist. */
export async function findLogoRow(tx: Tx, tenantId: TenantId): Promise<LogoRow | undefined> {
  const [row] = await tx<LogoRow[]>`
    select logo_id, logo_files from tenants where tenant_id = ${tenantId}`;
  return row;
}

export async function writeLogo(
  tx: Tx,
  tenantId: TenantId,
  logo: { logo_id: string; logo_files: readonly string[]; now: Date } | { now: Date },
): Promise<void> {
  const { logo_id: logoId, logo_files: files } =
    "logo_id" in logo ? logo : { logo_id: null, logo_files: null };
  await tx`
    update tenants
    set logo_id = ${logoId}, logo_files = ${files === null ? null : [...files]}::text[], updated_at = ${logo.now}
    where tenant_id = ${tenantId}`;
}

/** The files of a logo of any tenant that is not deleted. Needs the operator role. */
export async function findFilesOfLogo(tx: Tx, logoId: string): Promise<string[] | undefined> {
  const [row] = await tx<{ logo_files: string[] }[]>`
    select logo_files from tenants where logo_id = ${logoId}`;
  return row?.logo_files;
}

/** The files of logos, of any tenant. For the operator role that sees deleted tenants, which may come back. */
export const logoFiles = {
  async findOwned(tx: Tx, fileIds: readonly string[]): Promise<Set<string>> {
    const ids = [...fileIds];
    const rows = await tx<{ file_id: string }[]>`
      select file_id from tenants, unnest(logo_files) as file_id
      where logo_files && ${ids}::text[] and file_id = any(${ids}::text[])`;
    return new Set(rows.map((row) => row.file_id));
  },
  async listOwned(
    tx: Tx,
    { afterId, limit }: { afterId: string; limit: number },
  ): Promise<string[]> {
    const rows = await tx<{ file_id: string }[]>`
      select file_id from tenants, unnest(logo_files) as file_id
      where logo_files is not null and file_id > ${afterId} order by file_id limit ${limit}`;
    return rows.map((row) => row.file_id);
  },
};
