import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { TableShape } from "./schema.store.ts";

/** Everything here needs the operator role, and a move that is open in the transaction. */

/** Takes the rows of a tenant out of a table and parks them. @returns How many. */
export async function parkRows(
  tx: Tx,
  input: { tenantId: TenantId; table: string; orderColumn: string | null },
): Promise<number> {
  const [row] = await tx<[{ rows: number }]>`
    select park_rows(${input.tenantId}, ${input.table}, ${input.orderColumn})::float8 as rows`;
  return row.rows;
}

/** Parks the series of the tenant's documents, after those. */
export async function parkSeries(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`select park_series(${tenantId})`;
}

/** Notes the files of a tenant, whose rows are here, so that the sweep leaves them. */
export async function parkFiles(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`
    insert into parked_files (file_id, tenant_id)
    select file_id, ${tenantId} from (
      select file_id from files where tenant_id = ${tenantId}
      union select file_id from export_parts where tenant_id = ${tenantId}
      union select file_id from tenants, unnest(logo_files) as file_id where tenant_id = ${tenantId}
    ) owned
    on conflict do nothing`;
}

export async function listParkedFiles(
  tx: Tx,
  tenantId: TenantId,
  page: { after: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ file_id: string }[]>`
    select file_id from parked_files
    where tenant_id = ${tenantId} and file_id > ${page.after} order by file_id limit ${page.limit}`;
  return rows.map((row) => row.file_id);
}

/** How many rows are parked, by table. */
export async function countParked(tx: Tx, tenantId: TenantId): Promise<Map<string, number>> {
  const rows = await tx<{ name: string; rows: number }[]>`
    select table_name as name, count(*)::float8 as rows from parked_rows where tenant_id = ${tenantId}
    group by 1 order by 1`;
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}

/** The position of the last row that is parked of a tenant; 0 without one. */
export async function findLastParked(tx: Tx, tenantId: TenantId): Promise<bigint> {
  const [row] = await tx<[{ last: bigint }]>`
    select coalesce(max(position), 0) as last from parked_rows where tenant_id = ${tenantId}`;
  return row.last;
}

export type ParkedRow = { position: bigint; content: string };

/** Parked rows of a table in their order, and no further one once there are `bytesMax` of them. */
export async function listParked(
  tx: Tx,
  tenantId: TenantId,
  page: { table: string; after: bigint; limit: number; bytesMax: number },
): Promise<ParkedRow[]> {
  return await tx<ParkedRow[]>`
    select position, content from (
      select position, content, sum(length(content)) over (order by position) - length(content) as before
      from (
        select position, content from parked_rows
        where tenant_id = ${tenantId} and table_name = ${page.table} and position > ${page.after}
        order by position limit ${page.limit}
      ) page
    ) rows
    where before < ${page.bytesMax} order by position`;
}

/** Forgets what is parked of a tenant, at most `limit` rows. @returns How many. */
export async function deleteParked(tx: Tx, tenantId: TenantId, limit: number): Promise<number> {
  const rows = await tx`
    delete from parked_rows where ctid = any(array(
      select ctid from parked_rows where tenant_id = ${tenantId} limit ${limit})) returning 1`;
  if (rows.length === 0) {
    await tx`delete from parked_files where tenant_id = ${tenantId}`;
  }
  return rows.length;
}

/** What people are called in the other cell: by their id here, and as actors. */
export type Names = Readonly<Record<string, string>>;

export type RowSum = { rows: string; checksum: string };

/** Counts rows of a tenant in a table and sums a checksum of them. */
export async function sumRows(
  tx: Tx,
  input: {
    tenantId: TenantId;
    table: string;
    columns: readonly string[];
    renamed: readonly string[];
    names: Names;
    areParked: boolean;
  },
): Promise<RowSum> {
  const [row] = await tx<[RowSum]>`
    select s.rows::text as rows, s.checksum::text as checksum
    from sum_rows(${input.tenantId}, ${input.table}, ${[...input.columns]}::text[], ${[...input.renamed]}::text[],
      ${tx.json(input.names)}::jsonb, ${input.areParked}) s`;
  return row;
}

/** Adds rows to a table, in their order. */
export async function takeInRows(
  tx: Tx,
  input: {
    tenantId: TenantId;
    table: string;
    columns: readonly string[];
    renamed: readonly string[];
    names: Names;
    contents: readonly string[];
  },
): Promise<void> {
  await tx`
    select take_in_rows(${input.tenantId}, ${input.table}, ${[...input.columns]}::text[], ${[...input.renamed]}::text[],
      ${tx.json(input.names)}::jsonb, ${[...input.contents]}::text[])`;
}

/** Adds what was recorded late to what is there. */
export async function addLateRows(
  tx: Tx,
  input: {
    tenantId: TenantId;
    table: string;
    shape: TableShape;
    sums: readonly string[];
    contents: readonly string[];
  },
): Promise<void> {
  await tx`
    select add_late_rows(${input.tenantId}, ${input.table}, ${input.shape.columns}::text[], ${input.shape.key}::text[],
      ${[...input.sums]}::text[], ${[...input.contents]}::text[])`;
}

/** Numbers of parked documents, by series. */
export async function listParkedNumbers(
  tx: Tx,
  tenantId: TenantId,
): Promise<Record<string, string[]>> {
  const rows = await tx<{ series: string; numbers: string[] }[]>`
    select series, array_agg(number::text) as numbers from (
      select (content::invoices).series as series, (content::invoices).series_number as number
      from parked_rows where tenant_id = ${tenantId} and table_name = 'invoices'
      union all
      select (content::credit_notes).series, (content::credit_notes).series_number
      from parked_rows where tenant_id = ${tenantId} and table_name = 'credit_notes'
    ) numbered group by series`;
  return Object.fromEntries(rows.map(({ series, numbers }) => [series, numbers]));
}

/** Makes the series of documents that arrive. */
export async function takeInSeries(
  tx: Tx,
  input: {
    tenantId: TenantId;
    contents: readonly string[];
    numbers: Readonly<Record<string, string[]>>;
  },
): Promise<void> {
  await tx`
    select take_in_series(${input.tenantId}, ${[...input.contents]}::text[], ${tx.json(input.numbers)}::jsonb)`;
}

/**
 * Adds documents, each with a revision of this cell: who reads changes finds them. All other changes wait for the commit from here
 * on, so they come last.
 */
export async function takeInDocuments(
  tx: Tx,
  input: { tenantId: TenantId; contents: readonly string[]; names: Names },
): Promise<void> {
  const [from, to] = [Object.keys(input.names), Object.values(input.names)];
  await tx`
    with given as materialized (
      select c.content::documents as d, c.place,
        -- A person's own collections are named by their id.
        coalesce((
          select replace((c.content::documents).collection, n.was, n.becomes)
          from unnest(${from}::text[], ${to}::text[]) as n (was, becomes)
          where position(n.was in (c.content::documents).collection) > 0 limit 1
        ), (c.content::documents).collection) as collection
      from unnest(${[...input.contents]}::text[]) with ordinality as c (content, place)
    ), changed as materialized (
      select d, collection, record_change_now('document', ${input.tenantId}, collection || '/' || (d).document_id) as revision
      from (select * from given order by place) ordered
    )
    insert into documents (tenant_id, collection, document_id, revision, body, updated_at, updated_by)
    select ${input.tenantId}, collection, (d).document_id, revision, (d).body, (d).updated_at, (d).updated_by from changed`;
}

/** The latest instant at which usage of the tenant was recorded, or a cut-off was taken. Runs where it is parked. */
export async function findRecordedTo(tx: Tx, tenantId: TenantId): Promise<Date> {
  const [row] = await tx<[{ at: Date }]>`
    select greatest(
      (select nullif(cut_off_at, '-infinity') from usage_cut_off),
      (select max((content::ledger_entries).recorded_at) from parked_rows
        where tenant_id = ${tenantId} and table_name = 'ledger_entries'),
      'epoch') as at`;
  return row.at;
}

/** Usage recorded here from now on is later than this. @throws `TP409` when the clocks differ too much. */
export async function raiseCutOff(tx: Tx, recordedTo: Date): Promise<void> {
  await tx`select raise_cut_off(${recordedTo})`;
}

/** The parked files as an owner of files: the sweep leaves them. */
export const parkedFiles = {
  async findOwned(tx: Tx, fileIds: readonly string[]): Promise<Set<string>> {
    const rows = await tx<{ file_id: string }[]>`
      select file_id from parked_files where file_id = any(${[...fileIds]}::text[])`;
    return new Set(rows.map((row) => row.file_id));
  },
  async listOwned(
    tx: Tx,
    { afterId, limit }: { afterId: string; limit: number },
  ): Promise<string[]> {
    const rows = await tx<{ file_id: string }[]>`
      select file_id from parked_files where file_id > ${afterId} order by file_id limit ${limit}`;
    return rows.map((row) => row.file_id);
  },
};
