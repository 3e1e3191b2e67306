import type { Tx } from "@turnpike/db/client";
import type { FileMediaType } from "@turnpike/domain/files/media-type";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { FileOwner } from "./files.ports.ts";

export type FileRow = {
  tenant_id: TenantId;
  file_id: string;
  name: string;
  media_type: FileMediaType;
  bytes: bigint;
  sha256: Uint8Array;
  created_at: Date;
  created_by: string;
};

const COLUMNS = [
  "tenant_id",
  "file_id",
  "name",
  "media_type",
  "bytes",
  "sha256",
  "created_at",
  "created_by",
] as const;

/** @returns False if the tenant does not exist. */
export async function insertFile(tx: Tx, tenantId: TenantId, row: FileRow): Promise<boolean> {
  const rows = await tx`
    insert into files (tenant_id, file_id, name, media_type, bytes, sha256, created_at, created_by)
    select tenant_id, ${row.file_id}, ${row.name}, ${row.media_type}, ${row.bytes}::bigint, ${row.sha256}::bytea,
      ${row.created_at}::timestamptz, ${row.created_by}
    from tenants where tenant_id = ${tenantId}
    returning file_id`;
  return rows.length === 1;
}

/** Counts the files of a tenant and their bytes; `undefined` if the tenant does not exist. */
export async function countFiles(
  tx: Tx,
  tenantId: TenantId,
): Promise<{ count: number; bytes: bigint } | undefined> {
  const [row] = await tx<{ count: number; bytes: bigint }[]>`
    select count(f.file_id)::int as count, coalesce(sum(f.bytes), 0)::bigint as bytes
    from tenants t left join files f on f.tenant_id = t.tenant_id
    where t.tenant_id = ${tenantId}
    group by t.tenant_id`;
  return row;
}

export async function findFile(
  tx: Tx,
  tenantId: TenantId,
  fileId: string,
): Promise<FileRow | undefined> {
  const [row] = await tx<FileRow[]>`
    select ${tx(COLUMNS)} from files where tenant_id = ${tenantId} and file_id = ${fileId}`;
  return row;
}

export async function listFileRows(
  tx: Tx,
  tenantId: TenantId,
  page: { beforeId: string | undefined; limit: number },
): Promise<FileRow[]> {
  return await tx<FileRow[]>`
    select ${tx(COLUMNS)} from files
    where tenant_id = ${tenantId}
      and (${page.beforeId ?? null}::text is null or file_id < ${page.beforeId ?? null})
    order by file_id desc
    limit ${page.limit}`;
}

/** @returns False if there was none. */
export async function deleteFileRow(tx: Tx, tenantId: TenantId, fileId: string): Promise<boolean> {
  const rows = await tx`
    delete from files where tenant_id = ${tenantId} and file_id = ${fileId} returning file_id`;
  return rows.length === 1;
}

/** The files that have a row, over all tenants. Needs the operator role. */
export const filesWithRow: FileOwner = {
  async findOwned(tx, fileIds) {
    const rows = await tx<{ file_id: string }[]>`
      select file_id from files where file_id = any(${[...fileIds]})`;
    return new Set(rows.map((row) => row.file_id));
  },
  async listOwned(tx, { afterId, limit }) {
    const rows = await tx<{ file_id: string }[]>`
      select file_id from files where file_id > ${afterId} order by file_id limit ${limit}`;
    return rows.map((row) => row.file_id);
  },
};
