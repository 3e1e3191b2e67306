import type { Fragment, Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type LineState = "open" | "matched" | "ignored";

/** A line of a bank's statement. Amounts are minor units, as text. */
export type LineRow = {
  lineId: string;
  statement: string;
  bookedOn: string;
  amount: string;
  currency: string;
  payer: string;
  payerAccount: string;
  purpose: string;
  bankReference: string;
  state: LineState;
  paymentId: string | null;
  note: string | null;
};

export type LineWrite = Omit<LineRow, "statement" | "state" | "paymentId" | "note"> & {
  hash: string;
};

export async function insertStatement(
  tx: Tx,
  row: { statementId: string; name: string; format: string; now: Date; importedBy: string },
): Promise<void> {
  await tx`
    insert into bank_statements (statement_id, name, format, imported_at, imported_by)
    values (${row.statementId}, ${row.name}, ${row.format}, ${row.now}, ${row.importedBy})`;
}

/** Which of the hashes are of lines that were imported before. */
export async function listKnownHashes(tx: Tx, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await tx<{ hash: string }[]>`
    select hash from statement_lines where hash = any(${[...hashes]}::text[])`;
  return new Set(rows.map(({ hash }) => hash));
}

/** Stores lines that are not there yet. @returns The ids of the new ones. */
export async function insertLines(
  tx: Tx,
  statementId: string,
  rows: readonly LineWrite[],
): Promise<string[]> {
  const written = await tx<{ lineId: string }[]>`
    insert into statement_lines (line_id, statement_id, hash, booked_on, amount, currency, payer, payer_account, purpose,
      bank_reference, state)
    select n."lineId", ${statementId}, n.hash, n."bookedOn", n.amount, n.currency, n.payer, n."payerAccount", n.purpose,
      n."bankReference", 'open'
    from json_to_recordset(${tx.json(rows as never)}::json) as n ("lineId" text, hash text, "bookedOn" date, amount numeric,
      currency text, payer text, "payerAccount" text, purpose text, "bankReference" text)
    on conflict (hash) do nothing
    returning line_id as "lineId"`;
  return written.map(({ lineId }) => lineId);
}

function columns(tx: Tx): Fragment {
  return tx`l.line_id as "lineId", s.name as statement, l.booked_on::text as "bookedOn", l.amount::text as amount, l.currency, l.payer,
    l.payer_account as "payerAccount", l.purpose, l.bank_reference as "bankReference", l.state, l.payment_id as "paymentId", l.note`;
}

/** A place in the list of lines. */
export type LinePlace = { bookedOn: string; lineId: string };

/** Lines in a state, newest first. */
export async function listLines(
  tx: Tx,
  { state, after, limit }: { state: LineState; after: LinePlace | undefined; limit: number },
): Promise<LineRow[]> {
  return await tx<LineRow[]>`
    select ${columns(tx)} from statement_lines l join bank_statements s using (statement_id)
    where l.state = ${state}
      ${after === undefined ? tx`` : tx`and (l.booked_on, l.line_id) < (${after.bookedOn}::date, ${after.lineId})`}
    order by l.booked_on desc, l.line_id desc
    limit ${limit}`;
}

export async function findLine(tx: Tx, lineId: string): Promise<LineRow | undefined> {
  const [row] = await tx<LineRow[]>`
    select ${columns(tx)} from statement_lines l join bank_statements s using (statement_id) where l.line_id = ${lineId}`;
  return row;
}

/** Lines by their ids, in no order. */
export async function listLinesById(tx: Tx, ids: readonly string[]): Promise<LineRow[]> {
  return await tx<LineRow[]>`
    select ${columns(tx)} from statement_lines l join bank_statements s using (statement_id)
    where l.line_id = any(${[...ids]}::text[])`;
}

/** The line, locked until the end of the transaction, so that a line is matched once. */
export async function lockLine(tx: Tx, lineId: string): Promise<LineRow | undefined> {
  const [row] = await tx<LineRow[]>`
    select ${columns(tx)} from statement_lines l join bank_statements s using (statement_id) where l.line_id = ${lineId}
    for no key update of l`;
  return row;
}

export async function decideLine(
  tx: Tx,
  row: {
    lineId: string;
    state: LineState;
    paymentId: string | null;
    note: string | null;
    now: Date;
    decidedBy: string;
  },
): Promise<void> {
  await tx`
    update statement_lines
    set state = ${row.state}, payment_id = ${row.paymentId}, note = ${row.note}, decided_at = ${row.now}, decided_by = ${row.decidedBy}
    where line_id = ${row.lineId}`;
}

export async function countOpenLines(tx: Tx): Promise<number> {
  const [row] = await tx<[{ count: number }]>`
    select count(*)::int as count from statement_lines where state = 'open' and amount > 0`;
  return row.count;
}

/** An invoice that a line may pay, and by what it was found. */
export type CandidateRow = {
  lineId: string;
  invoiceId: string;
  number: string;
  tenantId: TenantId;
  tenantName: string;
  /** Names by which the payer may be known. */
  names: string[];
  currency: string;
  due: string;
  hasReference: boolean;
  hasNumber: boolean;
  hasAmount: boolean;
};

/** Invoices that open lines may pay: by the reference in what was written, by their number, or because just that is due. */
export async function listCandidates(
  tx: Tx,
  lines: readonly { lineId: string; bodies: readonly string[] }[],
): Promise<CandidateRow[]> {
  return await tx<CandidateRow[]>`
    with asked as (
      select l.line_id, l.amount, l.currency, n.bodies,
        upper(regexp_replace(l.purpose || ' ' || l.payer, '[^A-Za-z0-9]', '', 'g')) as written
      from json_to_recordset(${tx.json(lines as never)}::json) as n ("lineId" text, bodies text[])
        join statement_lines l on l.line_id = n."lineId"
    ), named as (
      select a.line_id, i.invoice_id from asked a join invoices i
        on right(upper(regexp_replace(i.number, '[^A-Za-z0-9]', '', 'g')), 21) = any(a.bodies) and i.environment = 'live'
    ), found as (
      select a.line_id, i.invoice_id, false as has_reference,
        position(upper(regexp_replace(i.number, '[^A-Za-z0-9]', '', 'g')) in a.written) > 0 as has_number
      from asked a join invoices i on i.environment = 'live' and i.state in ('open', 'uncollectible')
      union all
      select line_id, invoice_id, true, false from named
    )
    select f.line_id as "lineId", i.invoice_id as "invoiceId", i.number, i.tenant_id as "tenantId",
      coalesce(t.name, i.customer ->> 'name') as "tenantName", array_remove(array[t.name, i.customer ->> 'name'], null) as names,
      i.currency, d.due::text as due, bool_or(f.has_reference) as "hasReference", bool_or(f.has_number) as "hasNumber",
      d.due = a.amount as "hasAmount"
    from found f join asked a using (line_id) join invoices i using (invoice_id) left join tenants t using (tenant_id)
      cross join lateral (
        select case when i.state = 'void' then 0
          else greatest(i.total - i.from_balance - i.prepaid - i.paid - i.credited + i.to_balance, 0) end as due
      ) d
    where i.currency = a.currency and (f.has_reference or f.has_number or d.due = a.amount)
    group by f.line_id, i.invoice_id, i.number, i.tenant_id, t.name, i.customer, i.currency, d.due, a.amount, i.due_at
    order by f.line_id, i.due_at, i.invoice_id`;
}
