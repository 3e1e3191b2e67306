import type { ExportFormat, ExportState } from "@turnpike/contract/exports";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type ExportRow = {
  export_id: string;
  name: string;
  format: ExportFormat;
  state: ExportState;
  question: Record<string, string>;
  from_at: Date;
  to_at: Date;
  parts_done: number;
  parts_total: number;
  rows_written: bigint;
  bytes_written: bigint;
  attempt: number;
  failure: string | null;
  created_at: Date;
  created_by: string;
  finished_at: Date | null;
  expires_at: Date | null;
};

export type ExportRef = { tenantId: TenantId; exportId: string };
/** One attempt at an export. Only the latest attempt may write. */
export type ExportAttempt = ExportRef & { attempt: number };

const COLUMNS = [
  "export_id",
  "name",
  "format",
  "state",
  "question",
  "from_at",
  "to_at",
  "parts_done",
  "parts_total",
  "rows_written",
  "bytes_written",
  "attempt",
  "failure",
  "created_at",
  "created_by",
  "finished_at",
  "expires_at",
] as const;

export async function countExports(
  tx: Tx,
  tenantId: TenantId,
): Promise<{ unfinished: number; all: number; bytes: bigint }> {
  const [row] = await tx<{ unfinished: number; all: number; bytes: bigint }[]>`
    select count(*) filter (where state in ('waiting', 'running'))::int as unfinished, count(*)::int as all,
      coalesce(sum(bytes_written) filter (where state in ('waiting', 'running', 'done')), 0)::bigint as bytes
    from exports where tenant_id = ${tenantId}`;
  return row ?? { unfinished: 0, all: 0, bytes: 0n };
}

export async function insertExport(
  tx: Tx,
  tenantId: TenantId,
  row: Pick<
    ExportRow,
    | "export_id"
    | "name"
    | "format"
    | "question"
    | "from_at"
    | "to_at"
    | "parts_total"
    | "created_at"
    | "created_by"
  >,
): Promise<ExportRow> {
  const [made] = await tx<ExportRow[]>`
    insert into exports (tenant_id, export_id, name, format, state, question, from_at, to_at, parts_total, created_at,
      created_by)
    values (${tenantId}, ${row.export_id}, ${row.name}, ${row.format}, 'waiting', ${tx.json(row.question)}, ${row.from_at},
      ${row.to_at}, ${row.parts_total}, ${row.created_at}, ${row.created_by})
    returning ${tx(COLUMNS)}`;
  if (made === undefined) {
    throw new Error("An export was not stored.");
  }
  return made;
}

export async function findExportRow(
  tx: Tx,
  { tenantId, exportId }: ExportRef,
): Promise<ExportRow | undefined> {
  const [row] = await tx<ExportRow[]>`
    select ${tx(COLUMNS)} from exports where tenant_id = ${tenantId} and export_id = ${exportId}`;
  return row;
}

export async function listExportRows(
  tx: Tx,
  tenantId: TenantId,
  page: { beforeId: string | undefined; limit: number },
): Promise<ExportRow[]> {
  return await tx<ExportRow[]>`
    select ${tx(COLUMNS)} from exports
    where tenant_id = ${tenantId}
      and (${page.beforeId ?? null}::text is null or export_id < ${page.beforeId ?? null})
    order by export_id desc
    limit ${page.limit}`;
}

/** Makes this the latest attempt at an unfinished export. */
export async function claimExport(
  tx: Tx,
  { tenantId, exportId }: ExportRef,
): Promise<ExportRow | undefined> {
  const [row] = await tx<ExportRow[]>`
    update exports set state = 'running', attempt = attempt + 1
    where tenant_id = ${tenantId} and export_id = ${exportId} and state in ('waiting', 'running')
    returning ${tx(COLUMNS)}`;
  return row;
}

/** False once the export is cancelled, deleted or taken over by a later attempt. */
export async function isExportOurs(tx: Tx, at: ExportAttempt): Promise<boolean> {
  const rows = await tx`
    select 1 from exports
    where tenant_id = ${at.tenantId} and export_id = ${at.exportId} and attempt = ${at.attempt} and state = 'running'`;
  return rows.length === 1;
}

/** Adds the next chunk. @returns False, and adds nothing, when a later attempt has taken over. */
export async function addExportChunk(
  tx: Tx,
  at: ExportAttempt,
  chunk: { index: number; fileId: string; bytes: number; rows: number },
): Promise<boolean> {
  const rows = await tx`
    update exports
    set parts_done = parts_done + 1, rows_written = rows_written + ${chunk.rows}, bytes_written = bytes_written + ${chunk.bytes}
    where tenant_id = ${at.tenantId} and export_id = ${at.exportId} and attempt = ${at.attempt} and state = 'running'
      and parts_done = ${chunk.index}
    returning 1`;
  if (rows.length === 0) {
    return false;
  }
  await tx`
    insert into export_parts (tenant_id, export_id, part, file_id, bytes)
    values (${at.tenantId}, ${at.exportId}, ${chunk.index}, ${chunk.fileId}, ${chunk.bytes})`;
  return true;
}

/** @returns False, and changes nothing, when a later attempt has taken over. */
export async function finishExport(
  tx: Tx,
  at: ExportAttempt,
  end:
    | { state: "done"; finishedAt: Date; expiresAt: Date }
    | { state: "failed"; finishedAt: Date; failure: string },
): Promise<boolean> {
  const rows = await tx`
    update exports
    set state = ${end.state}, finished_at = ${end.finishedAt},
      expires_at = ${end.state === "done" ? end.expiresAt : null}, failure = ${end.state === "failed" ? end.failure : null}
    where tenant_id = ${at.tenantId} and export_id = ${at.exportId} and attempt = ${at.attempt} and state = 'running'
    returning 1`;
  return rows.length === 1;
}

/** @returns Undefined when the export is finished or does not exist. */
export async function cancelExportRow(
  tx: Tx,
  { tenantId, exportId }: ExportRef,
  finishedAt: Date,
): Promise<ExportRow | undefined> {
  const [row] = await tx<ExportRow[]>`
    update exports set state = 'cancelled', finished_at = ${finishedAt}
    where tenant_id = ${tenantId} and export_id = ${exportId} and state in ('waiting', 'running')
    returning ${tx(COLUMNS)}`;
  return row;
}

/** Locks the export, which every change of its chunks does first. @returns False when there is none. */
export async function lockExport(tx: Tx, { tenantId, exportId }: ExportRef): Promise<boolean> {
  const rows = await tx`
    select 1 from exports where tenant_id = ${tenantId} and export_id = ${exportId} for update`;
  return rows.length === 1;
}

export async function deleteExportRow(tx: Tx, { tenantId, exportId }: ExportRef): Promise<void> {
  await tx`delete from exports where tenant_id = ${tenantId} and export_id = ${exportId}`;
}

/** In their order. */
export async function listExportFiles(
  tx: Tx,
  { tenantId, exportId }: ExportRef,
): Promise<{ fileId: string; bytes: number }[]> {
  const rows = await tx<{ file_id: string; bytes: bigint }[]>`
    select file_id, bytes from export_parts
    where tenant_id = ${tenantId} and export_id = ${exportId} order by part`;
  return rows.map((row) => ({ fileId: row.file_id, bytes: Number(row.bytes) }));
}

/** Deletes the rows of the chunks. @returns Their files, whose bytes are still to be deleted. */
export async function deleteExportChunks(
  tx: Tx,
  { tenantId, exportId }: ExportRef,
): Promise<string[]> {
  const rows = await tx<{ file_id: string }[]>`
    delete from export_parts where tenant_id = ${tenantId} and export_id = ${exportId} returning file_id`;
  return rows.map((row) => row.file_id);
}

/** Marks expired exports, of all tenants. For the operator role. */
export async function expireExports(
  tx: Tx,
  input: { now: Date; limit: number },
): Promise<{ tenant_id: TenantId; export_id: string }[]> {
  return await tx<{ tenant_id: TenantId; export_id: string }[]>`
    update exports set state = 'expired'
    where (tenant_id, export_id) in (
      select tenant_id, export_id from exports where state = 'done' and expires_at <= ${input.now} limit ${input.limit})
    returning tenant_id, export_id`;
}

/** Fails exports that have taken longer than allowed, of all tenants. For the operator role. */
export async function failExportsBegunBefore(
  tx: Tx,
  input: { begunBefore: Date; now: Date; failure: string; limit: number },
): Promise<{ tenant_id: TenantId; export_id: string }[]> {
  return await tx<{ tenant_id: TenantId; export_id: string }[]>`
    update exports set state = 'failed', finished_at = ${input.now}, failure = ${input.failure}
    where (tenant_id, export_id) in (
      select tenant_id, export_id from exports
      where state in ('waiting', 'running') and created_at <= ${input.begunBefore} limit ${input.limit})
      and state in ('waiting', 'running')
    returning tenant_id, export_id`;
}

/** Deletes the rows of exports that ended before, of all tenants. @returns How many. */
export async function deleteExportsBefore(tx: Tx, before: Date): Promise<number> {
  const rows = await tx`
    delete from exports where finished_at < ${before} and state <> 'done' returning 1`;
  return rows.length;
}

/** The files of exports, of any tenant. For the operator role. */
export const exportFiles = {
  async findOwned(tx: Tx, fileIds: readonly string[]): Promise<Set<string>> {
    const rows = await tx<{ file_id: string }[]>`
      select file_id from export_parts where file_id = any(${[...fileIds]})`;
    return new Set(rows.map((row) => row.file_id));
  },
  async listOwned(
    tx: Tx,
    { afterId, limit }: { afterId: string; limit: number },
  ): Promise<string[]> {
    const rows = await tx<{ file_id: string }[]>`
      select file_id from export_parts where file_id > ${afterId} order by file_id limit ${limit}`;
    return rows.map((row) => row.file_id);
  },
};

/** Names of keys by id. Keys of other tenants are left out. */
export async function listKeyNames(
  tx: Tx,
  tenantId: TenantId,
  keyIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx<{ key_id: string; name: string }[]>`
    select key_id, name from api_keys where tenant_id = ${tenantId} and key_id = any(${[...keyIds]}::text[])`;
  return new Map(rows.map((row) => [row.key_id, row.name]));
}
