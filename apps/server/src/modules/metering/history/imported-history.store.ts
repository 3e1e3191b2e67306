import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Lines of a log that were imported together. */
export type ImportedBatch = {
  endDigest: string;
  lines: number;
  /** Characters of a last line without a line end; null for whole lines. */
  openLength: number | null;
  calls: number;
};

type BatchRow = {
  end_digest: string;
  lines: number;
  open_length: number | null;
  calls: number;
};

function toBatch(row: BatchRow): ImportedBatch {
  return {
    endDigest: row.end_digest,
    lines: row.lines,
    openLength: row.open_length,
    calls: row.calls,
  };
}

/** Lists batches that begin here and were assigned to tenants by the same rules, from any log. */
export async function listImportedBatches(
  tx: Tx,
  { scope, startDigest }: { scope: string; startDigest: string },
): Promise<ImportedBatch[]> {
  const rows = await tx<BatchRow[]>`
    select end_digest, lines, open_length, calls from imported_history
    where start_digest = ${startDigest} and scope = ${scope}
    order by lines, end_digest`;
  return rows.map(toBatch);
}

/** Lists batches that begin here and that other rules assigned to some of these tenants. */
export async function listBatchesOfOthers(
  tx: Tx,
  input: { scope: string; startDigest: string; tenantIds: readonly TenantId[] },
): Promise<ImportedBatch[]> {
  const rows = await tx<BatchRow[]>`
    select end_digest, max(lines) as lines, max(open_length) as open_length, max(calls) as calls
    from imported_history
    where start_digest = ${input.startDigest} and scope <> ${input.scope} and calls > 0
      and tenant_ids && ${[...input.tenantIds]}::text[]
    group by end_digest
    order by lines, end_digest`;
  return rows.map(toBatch);
}

/**
 * True when a batch that begins with these lines has more after them: they are from a copy of the log that ends earlier.
 *
 * @param input.by - Which batches: of these rules, or those that other rules assigned to some of these tenants.
 */
export async function isShorterCopy(
  tx: Tx,
  input: {
    scope: string;
    startDigest: string;
    tenantIds: readonly TenantId[];
    checksums: Buffer;
    by: "these rules" | "others";
  },
): Promise<boolean> {
  const { scope, startDigest, checksums } = input;
  const ofRules =
    input.by === "others"
      ? tx`scope <> ${scope} and calls > 0 and tenant_ids && ${[...input.tenantIds]}::text[]`
      : tx`scope = ${scope}`;
  const rows = await tx`
    select 1 from imported_history
    where start_digest = ${startDigest} and ${ofRules} and octet_length(line_checksums) > ${checksums.length}
      and substring(line_checksums from 1 for ${checksums.length}) = ${checksums}
    limit 1`;
  return rows.length > 0;
}

/** Makes other imports that begin here by the same rules wait until the transaction ends. */
export async function lockHistory(
  tx: Tx,
  { scope, startDigest }: { scope: string; startDigest: string },
): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`${scope}${startDigest}`}, 18))`;
}

/** Marks a batch as imported. Replaces the mark of a batch of which nothing could be imported before. */
export async function putImportedBatch(
  tx: Tx,
  input: ImportedBatch & {
    scope: string;
    startDigest: string;
    tenantIds: readonly TenantId[];
    checksums: Buffer;
  },
): Promise<void> {
  await tx`
    insert into imported_history (start_digest, end_digest, scope, tenant_ids, lines, open_length, line_checksums,
      calls)
    values (${input.startDigest}, ${input.endDigest}, ${input.scope}, ${[...input.tenantIds]}, ${input.lines},
      ${input.openLength}, ${input.checksums}, ${input.calls})
    on conflict (start_digest, end_digest, scope) do update
      set calls = excluded.calls, imported_at = now()`;
}
