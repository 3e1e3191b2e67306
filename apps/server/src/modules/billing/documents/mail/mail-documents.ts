import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import { said } from "@turnpike/domain/text/said";
import { type MailAttachment, sendMail } from "#modules/notifications/index.ts";
import { findTenantRow, listRoleEmails, type NotifyDeps } from "#modules/tenants/index.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import { findBillingDetails } from "../../details/billing-details.store.ts";
import { findMethod } from "../../payments/methods.store.ts";
import type { DocumentPrinter } from "../document-printer.ts";
import { numberOf, readStoredDocument, type StoredDocument } from "../stored-document.ts";
import { findEInvoice } from "../write-e-invoice.ts";
import {
  claimDocumentToMail,
  type DocumentToMail,
  recordMailingFailure,
  takeDocumentOff,
} from "./documents-to-mail.store.ts";
import { writeDocumentMail } from "./write-document-mail.ts";

export type MailDocumentsDeps = BillingDeps & {
  mail: Pick<NotifyDeps, "jobs" | "notices">;
  printer: DocumentPrinter;
};

/** Roles of those who pay, and of those who answer for the tenant, where the billing details have no address. */
const MAILED = ["owner", "billing"] as const;
const MAILS_MAX = 50;

/** The document as it was issued; undefined when it is not to be mailed any more. */
async function readDocument(
  { transact }: BillingDeps,
  { tenantId, invoiceId, creditNoteId }: DocumentToMail,
): Promise<StoredDocument | undefined> {
  return await transact.asOperator(async (tx) => {
    const tenant = await findTenantRow(tx, tenantId);
    const key = { tenantId, invoiceId, creditNoteId: creditNoteId ?? undefined };
    const stored = tenant === undefined ? undefined : await readStoredDocument(tx, key);
    return stored?.invoice.state === "void" ? undefined : stored;
  });
}

async function listRecipients(tx: Tx, { tenantId }: DocumentToMail): Promise<string[]> {
  const details = await findBillingDetails(tx, tenantId);
  const email = details?.email ?? null;
  return email === null ? await listRoleEmails(tx, tenantId, MAILED, MAILS_MAX) : [email];
}

/** The same bytes as the API serves them. */
async function draw(
  { printer, billing: { documents } }: MailDocumentsDeps,
  stored: StoredDocument,
): Promise<MailAttachment[]> {
  const number = numberOf(stored);
  const format = documents.mail?.eInvoice ?? null;
  const xml = format === null ? null : findEInvoice(stored, format);
  return [
    {
      name: `${number}.pdf`,
      mediaType: "application/pdf",
      content: await printer.print(stored),
    },
    ...(xml === null
      ? []
      : [{ name: `${number}.xml`, mediaType: "application/xml", content: Buffer.from(xml) }]),
  ];
}

function describeMethod(method: Awaited<ReturnType<typeof findMethod>>): string | undefined {
  if (method === undefined) {
    return;
  }
  const { brand, last4 } = method;
  const name =
    brand === null
      ? said("your payment method")
      : `${brand.slice(0, 1).toUpperCase()}${brand.slice(1)}`;
  return last4 === null ? name : said(`${name} ending in ${last4}`);
}

/** Takes the document off and makes its mails, together or not at all. */
async function enqueueMails(
  deps: MailDocumentsDeps,
  row: DocumentToMail,
  { stored, attachments }: { stored: StoredDocument; attachments: readonly MailAttachment[] },
): Promise<void> {
  const { tenantId, environment, invoiceId, documentId } = row;
  const { brandName, consoleUrl } = deps.mail.notices;
  await deps.transact.asOperator(async (tx) => {
    if (!(await takeDocumentOff(tx, documentId))) {
      return;
    }
    const tenant = await findTenantRow(tx, tenantId);
    const mail = writeDocumentMail(stored, {
      brandName,
      link:
        consoleUrl === undefined || tenant === undefined
          ? undefined
          : `${consoleUrl}/billings?invoice=${invoiceId}&tenant=${encodeURIComponent(tenant.slug)}`,
      method: describeMethod(await findMethod(tx, { tenantId, environment })),
      hasEInvoice: findEInvoice(stored, "cii") !== null,
    });
    const kind = stored.note === undefined ? "invoice.issued" : "credit_note.issued";
    const recipients = await listRecipients(tx, row);
    for (const to of recipients) {
      await sendMail({ ...deps, jobs: deps.mail.jobs }, tx, {
        ...{ to, tenantId, kind, attachments },
        ...mail,
        language: stored.invoice.customer.language,
      });
    }
    if (recipients.length === 0) {
      deps.logger.info({ tenantId, documentId }, "A document was mailed to no one: no address");
    }
  });
}

async function mailOne(deps: MailDocumentsDeps, row: DocumentToMail): Promise<void> {
  const stored =
    deps.billing.documents.mail === undefined ? undefined : await readDocument(deps, row);
  if (stored === undefined) {
    await deps.transact.asOperator((tx) => takeDocumentOff(tx, row.documentId));
    return;
  }
  await enqueueMails(deps, row, { stored, attachments: await draw(deps, stored) });
}

function toReason(error: unknown): string {
  return error instanceof AppError || error instanceof Error ? error.message : String(error);
}

/**
 * Mails the documents that were issued, one after the other, to the address in the customer's billing details, or else to its owners and
 * members of the role `billing`. A document that cannot be drawn is tried again later and holds up no other. However often it runs, on
 * however many processes, killed anywhere, each document becomes mails once.
 *
 * @returns How many documents were looked at.
 */
export async function mailDocuments(
  deps: MailDocumentsDeps,
  { signal }: { signal?: AbortSignal } = {},
): Promise<number> {
  for (let count = 0; ; count += 1) {
    const row =
      signal?.aborted === true
        ? undefined
        : await deps.transact.asOperator((tx) => claimDocumentToMail(tx, deps.clock.now()));
    if (row === undefined) {
      return count;
    }
    try {
      await mailOne(deps, row);
    } catch (error) {
      const { tenantId, documentId, attempts } = row;
      deps.logger.error(
        { err: error, tenantId, documentId, attempts },
        "a document was not mailed",
      );
      await deps.transact.asOperator((tx) => recordMailingFailure(tx, documentId, toReason(error)));
    }
  }
}
