import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AccountKey } from "../../accounts/accounts.store.ts";

/** A document that is still to be mailed. */
export type DocumentToMail = AccountKey & {
  documentId: string;
  invoiceId: string;
  /** Null for the invoice itself. */
  creditNoteId: string | null;
};

/** Remembers documents that have just been issued, in the transaction that issues them. */
export async function insertDocumentsToMail(
  tx: Tx,
  documents: readonly DocumentToMail[],
  now: Date,
): Promise<void> {
  if (documents.length === 0) {
    return;
  }
  const rows = documents.map(({ documentId, tenantId, environment, invoiceId, creditNoteId }) => ({
    document_id: documentId,
    tenant_id: tenantId,
    environment,
    invoice_id: invoiceId,
    credit_note_id: creditNoteId,
    due_at: now,
    created_at: now,
  }));
  await tx`insert into documents_to_mail ${tx(rows)}`;
}

/** Until a document is tried again: a process that was killed with it in hand must have ended by then. */
const RETRY_FIRST_MINUTES = 3;
const RETRY_MAX_MINUTES = 6 * 60;
/** After so many attempts the wait does not double any more. */
const DOUBLINGS_MAX = 8;

/**
 * Takes the document that is due first, and puts it ahead, so that no other process has it in hand and it is tried again, ever later,
 * when nothing comes of it.
 */
export async function claimDocumentToMail(
  tx: Tx,
  now: Date,
): Promise<(DocumentToMail & { attempts: number }) | undefined> {
  const [row] = await tx<(DocumentToMail & { attempts: number })[]>`
    update documents_to_mail d
    set attempts = d.attempts + 1,
      due_at = ${now}::timestamptz + make_interval(mins => least(${RETRY_MAX_MINUTES},
        ${RETRY_FIRST_MINUTES} * (1 << least(d.attempts, ${DOUBLINGS_MAX}))))
    where d.document_id = (
      select document_id from documents_to_mail where due_at <= ${now}
      order by due_at, document_id limit 1 for update skip locked
    )
    returning d.document_id as "documentId", d.tenant_id as "tenantId", d.environment, d.invoice_id as "invoiceId",
      d.credit_note_id as "creditNoteId", d.attempts`;
  return row;
}

/** Takes a document off, once its mails are in the same transaction. @returns False when another process has done so. */
export async function takeDocumentOff(tx: Tx, documentId: string): Promise<boolean> {
  const rows =
    await tx`delete from documents_to_mail where document_id = ${documentId} returning 1`;
  return rows.length > 0;
}

export async function recordMailingFailure(
  tx: Tx,
  documentId: string,
  error: string,
): Promise<void> {
  await tx`update documents_to_mail set last_error = ${error} where document_id = ${documentId}`;
}

/** How many documents could not be mailed so far, and why the oldest could not. */
export async function countUnmailed(
  tx: Tx,
): Promise<{ count: number; error: string; since: Date } | undefined> {
  const [row] = await tx<{ count: number; error: string; since: Date }[]>`
    select count(*) over ()::int as count, last_error as error, created_at as since
    from documents_to_mail where last_error is not null
    order by created_at limit 1`;
  return row;
}

/** @returns Rows removed. */
export async function deleteDocumentsToMail(tx: Tx, tenantId: TenantId): Promise<number> {
  const rows = await tx`delete from documents_to_mail where tenant_id = ${tenantId} returning 1`;
  return rows.length;
}
