import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** A part of a log as it was imported. */
export type ImportedPart = {
  endDigest: string;
  lines: number;
  /** Characters of a last line without an end; null for whole lines. */
  openLength: number | null;
  calls: number;
};

type PartRow = {
  end_digest: string;
  lines: number;
  open_length: number | null;
  calls: number;
};

function toPart(row: PartRow): ImportedPart {
  return {
    endDigest: row.end_digest,
    lines: row.lines,
    openLength: row.open_length,
    calls: row.calls,
  };
}

/** Lists the parts that begin here and were given to tenants by the same rules, whatever log they are of. */
export async function listImportedParts(
  tx: Tx,
  { scope, startDigest }: { scope: string; startDigest: string },
): Promise<ImportedPart[]> {
  const rows = await tx<PartRow[]>`
    select end_digest, lines, open_length, calls from imported_history
    where start_digest = ${startDigest} and scope = ${scope}
    order by lines, end_digest`;
  return rows.map(toPart);
}

/** Lists the parts that begin here and were given, by other rules, to some of these tenants. */
export async function listPartsOfOthers(
  tx: Tx,
  input: { scope: string; startDigest: string; tenantIds: readonly TenantId[] },
): Promise<ImportedPart[]> {
  const rows = await tx<PartRow[]>`
    select end_digest, max(lines) as lines, max(open_length) as open_length, max(calls) as calls
    from imported_history
    where start_digest = ${input.startDigest} and scope <> ${input.scope} and calls > 0
      and tenant_ids && ${[...input.tenantIds]}::text[]
    group by end_digest
    order by lines, end_digest`;
  return rows.map(toPart);
}

/**
 * True when a part that begins here goes on behind these lines: they are of a copy of the log that ends earlier.
 *
 * @param input.by - Parts by these rules, or those that other rules gave to some of these tenants.
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
  const bySomebody =
    input.by === "others"
      ? tx`scope <> ${scope} and calls > 0 and tenant_ids && ${[...input.tenantIds]}::text[]`
      : tx`scope = ${scope}`;
  const rows = await tx`
    select 1 from imported_history
    where start_digest = ${startDigest} and ${bySomebody} and octet_length(line_checksums) > ${checksums.length}
      and substring(line_checksums from 1 for ${checksums.length}) = ${checksums}
    limit 1`;
  return rows.length > 0;
}

/** Makes other imports that begin here, by the same rules, wait for the end of the transaction. */
export async function lockHistory(
  tx: Tx,
  { scope, startDigest }: { scope: string; startDigest: string },
): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`${scope}${startDigest}`}, 18))`;
}

/** Marks a part as imported. One of which nothing could be imported before is marked anew. */
export async function putImportedPart(
  tx: Tx,
  input: ImportedPart & {
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
