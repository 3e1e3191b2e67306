import type { Tx } from "@turnpike/db/client";
import { DEMO_EXTERNAL_ID_PREFIX } from "#modules/tenants/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import type { BillingSettings } from "../billing-settings.ts";
import { insertEntries, insertGrants } from "../credits/credits.store.ts";
import {
  type DocumentToMail,
  insertDocumentsToMail,
} from "../documents/mail/documents-to-mail.store.ts";
import {
  insertInvoices,
  insertLines,
  insertNotes,
  insertTaxes,
  listExternalIds,
  takeNumbers,
  updateInvoices,
  updateLines,
} from "../invoices/documents.store.ts";
import { insertAttempts } from "../payments/attempts.store.ts";
import { recordPositions } from "../revenue/revenue-changes.store.ts";
import {
  type AccountKey,
  insertEvents,
  writeAccounts,
  writeBilledPeriods,
} from "./accounts.store.ts";
import { keyText } from "./load-accounts.ts";
import { publishChanges } from "./publish-changes.ts";
import { stateCreditedTaxes, stateTax } from "./state-tax.ts";
import type { NewInvoice, NewNote } from "./writes/to-document-writes.ts";
import type { AccountWrites } from "./writes/to-writes.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Each year of each sandbox, and of the installation, counts for itself. Tenants that a demo invented have series of their own: their
 * documents can be removed, and those of customers keep no gap.
 */
function seriesOf(
  { tenantId, environment }: AccountKey,
  { prefix, now, invented }: { prefix: string; now: Date; invented: string | undefined },
): { series: string; numberOf: (count: number) => string } {
  const year = String(now.getUTCFullYear()).padStart(4, "0");
  const name = `${prefix}-${year}`;
  const numberOf = (count: number) => `${name}-${String(count).padStart(6, "0")}`;
  if (environment === "live" && invented !== undefined) {
    const place = invented.slice(DEMO_EXTERNAL_ID_PREFIX.length).replaceAll(":", "-");
    return {
      series: `demo ${tenantId} ${name}`,
      numberOf: (count) => `DEMO-${place}-${numberOf(count)}`,
    };
  }
  return environment === "live"
    ? { series: name, numberOf }
    : { series: `test ${tenantId} ${name}`, numberOf: (count) => `TEST-${numberOf(count)}` };
}

type Numbered<Document> = Document & {
  series: string;
  seriesNumber: number;
  number: string;
  issuedAt: string;
};

type Numbering = { prefix: string; now: Date; invented: ReadonlyMap<string, string> };

/** Numbers documents, series by series, in their order; those of one series and instant together. */
async function numberDocuments<Document extends AccountKey & { closedAt: string }>(
  tx: Tx,
  documents: readonly Document[],
  { prefix, now: realNow, invented }: Numbering,
): Promise<Numbered<Document>[]> {
  const groups = new Map<
    string,
    { documents: Document[]; series: string; now: Date; numberOf: (count: number) => string }
  >();
  for (const document of documents) {
    const { tenantId, environment, closedAt } = document;
    const own = invented.get(tenantId);
    // Time passes by leaps in a sandbox and in a demo: a document has the date that it would have had.
    const now = environment === "test" || own !== undefined ? new Date(closedAt) : realNow;
    const { series, numberOf } = seriesOf(document, { prefix, now, invented: own });
    const key = `${series} ${now.toISOString()}`;
    const group = groups.get(key) ?? { documents: [], series, now, numberOf };
    group.documents.push(document);
    groups.set(key, group);
  }
  const numbered: Numbered<Document>[] = [];
  // In one order, so that two transactions cannot wait for each other; and in that of time within a series.
  for (const [, { series, now, numberOf, ...group }] of [...groups].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const count = group.documents.length;
    const { first, issuedAt } = await takeNumbers(tx, { series, count, now });
    numbered.push(
      ...group.documents.map((document, index) => ({
        ...document,
        series,
        seriesNumber: first + index,
        number: numberOf(first + index),
        issuedAt: issuedAt.toISOString(),
      })),
    );
  }
  return numbered;
}

/** Documents that are mailed. Addresses of tenants that a demo invented are no one's. */
function listToMail(
  { invoices, notes }: { invoices: readonly NewInvoice[]; notes: readonly NewNote[] },
  { settings, invented }: { settings: BillingSettings; invented: ReadonlyMap<string, string> },
): DocumentToMail[] {
  const { mail } = settings.documents;
  const documents = [
    ...invoices.map(({ tenantId, environment, invoiceId }) => ({
      ...{ tenantId, environment, invoiceId },
      documentId: invoiceId,
      creditNoteId: null,
    })),
    ...notes.map(({ tenantId, environment, invoiceId, creditNoteId }) => ({
      ...{ tenantId, environment, invoiceId, creditNoteId },
      documentId: creditNoteId,
    })),
  ];
  return documents.filter(
    ({ tenantId, environment }) =>
      mail !== undefined && (environment === "live" || mail.sandbox) && !invented.has(tenantId),
  );
}

async function writeDocuments(
  tx: Tx,
  writes: readonly AccountWrites[],
  { settings, now }: { settings: BillingSettings; now: Date },
): Promise<void> {
  const lines = writes.flatMap((each) => each.lines);
  const invoices: NewInvoice[] = writes.flatMap((each) => each.invoices);
  const notes: NewNote[] = writes.flatMap((each) => each.notes);
  const invoiceChanges = writes.flatMap((each) => each.invoiceChanges);
  const lineChanges = writes.flatMap((each) => each.lineChanges);
  if (invoiceChanges.length > 0) {
    await updateInvoices(tx, invoiceChanges);
  }
  if (lineChanges.length > 0) {
    await updateLines(tx, lineChanges);
  }
  if (lines.length > 0) {
    await insertLines(tx, lines);
  }
  const ofTenants = [...invoices, ...notes].map(({ tenantId }) => tenantId);
  const invented: ReadonlyMap<string, string> =
    ofTenants.length === 0
      ? new Map()
      : await listExternalIds(tx, { tenantIds: ofTenants, prefix: DEMO_EXTERNAL_ID_PREFIX });
  const toMail = listToMail({ invoices, notes }, { settings, invented });
  await insertDocumentsToMail(tx, toMail, now);
  // Numbers are taken last: until the end of the transaction no other one gets any of their series.
  if (invoices.length > 0) {
    const numbering = { prefix: settings.invoicePrefix, now, invented };
    const numbered = await numberDocuments(tx, invoices, numbering);
    await insertInvoices(
      tx,
      numbered.map((invoice) => ({
        ...invoice,
        accountingTax: stateTax(invoice, {
          terms: settings.accounting,
          isDemo: invented.has(invoice.tenantId),
        }),
        dueAt: daysAfter(new Date(invoice.issuedAt), settings.paymentDays).toISOString(),
      })),
    );
  }
  if (notes.length > 0) {
    const numbering = { prefix: settings.creditNotePrefix, now, invented };
    const numbered = await numberDocuments(tx, notes, numbering);
    await insertNotes(tx, await stateCreditedTaxes(tx, numbered));
  }
  const issued = [...invoices, ...notes].filter(({ environment }) => environment === "live");
  if (issued.length > 0) {
    await insertTaxes(
      tx,
      issued.map((each) => ("creditNoteId" in each ? each.creditNoteId : each.invoiceId)),
    );
  }
}

/**
 * Writes changed accounts with their documents, and publishes what happened, as far as nothing else has changed them since they were
 * loaded. Needs the operator role. Running it twice writes once.
 *
 * @returns The accounts that were written; the others have to be loaded again.
 */
export async function writeChanges(
  deps: BillingDeps,
  tx: Tx,
  { writes, now }: { writes: readonly AccountWrites[]; now: Date },
): Promise<AccountKey[]> {
  const written = await writeAccounts(
    tx,
    writes.map(({ account }) => account),
    now,
  );
  const keys = new Set(written.map(keyText));
  const own = writes.filter(({ account }) => keys.has(keyText(account)));
  await writeBilledPeriods(
    tx,
    own.flatMap(({ periods }) => periods),
  );
  await insertEvents(
    tx,
    own.flatMap(({ events }) => events),
    now,
  );
  await insertGrants(
    tx,
    own.flatMap(({ grants }) => grants),
    now,
  );
  await insertEntries(
    tx,
    own.flatMap(({ entries }) => entries),
    now,
  );
  await recordPositions(
    tx,
    own.flatMap(({ positions }) => positions),
    now,
  );
  await writeDocuments(tx, own, { settings: deps.billing, now });
  await insertAttempts(
    tx,
    own.flatMap(({ attempts }) => attempts),
    { now },
  );
  await publishChanges(deps, tx, own);
  return written;
}

function daysAfter(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * DAY_MS);
}
