import type { Tx } from "@turnpike/db/client";
import { type PublishedEvent, publishEvents } from "#modules/notifications/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { listCreditNotes, listDescriptions, listSummaries } from "../invoices/invoices.store.ts";
import { toCreditNote, toSummary } from "../invoices/to-invoice.ts";
import type { AccountWrites } from "./writes/to-writes.ts";

const EVENT_OF = { paid: "invoice.paid", void: "invoice.voided" } as const;

/** An account's own events that change what is subscribed to, or what will be. */
function changesSubscription({ kind }: AccountWrites["events"][number]): boolean {
  return kind.startsWith("subscription.") || kind.startsWith("asked.");
}

function listSubscriptionEvents(writes: readonly AccountWrites[]): PublishedEvent[] {
  return writes
    .filter(({ events }) => events.some(changesSubscription))
    .map(({ account }) => {
      const { tenantId, environment, life, planId, planVersion, periodFrom, periodTo } = account;
      return {
        tenantId,
        type: "subscription.changed",
        data: {
          subscription: {
            tenantId,
            environment,
            life,
            planId,
            planVersion,
            periodFrom: periodFrom.toISOString(),
            periodTo: periodTo.toISOString(),
          },
        },
      };
    });
}

async function listInvoiceEvents(
  tx: Tx,
  writes: readonly AccountWrites[],
): Promise<PublishedEvent[]> {
  const happened = writes.flatMap(({ invoices, settled }) => [
    ...invoices.flatMap(({ invoiceId, state }) => [
      { invoiceId, type: "invoice.issued" as const },
      ...(state === "paid" ? [{ invoiceId, type: EVENT_OF.paid }] : []),
    ]),
    ...settled.map(({ invoiceId, as }) => ({ invoiceId, type: EVENT_OF[as] })),
  ]);
  if (happened.length === 0) {
    return [];
  }
  const rows = await listSummaries(
    tx,
    happened.map(({ invoiceId }) => invoiceId),
  );
  const rowOf = new Map(rows.map((row) => [row.invoiceId, row]));
  return happened.flatMap(({ invoiceId, type }) => {
    const row = rowOf.get(invoiceId);
    return row === undefined
      ? []
      : [{ tenantId: row.tenantId, type, data: { invoice: toSummary(row) } }];
  });
}

async function listNoteEvents(tx: Tx, writes: readonly AccountWrites[]): Promise<PublishedEvent[]> {
  const notes = new Map(
    writes.flatMap((each) => each.notes.map((note) => [note.creditNoteId, note])),
  );
  if (notes.size === 0) {
    return [];
  }
  const invoiceIds = [...notes.values()].map(({ invoiceId }) => invoiceId);
  const rows = await listCreditNotes(tx, invoiceIds);
  const descriptions = await listDescriptions(tx, invoiceIds);
  return rows.flatMap((row) => {
    const note = notes.get(row.creditNoteId);
    if (note === undefined) {
      return [];
    }
    const { tenantId, environment } = note;
    const creditNote = toCreditNote(row, descriptions.get(row.invoiceId) ?? new Map());
    return [{ tenantId, type: "credit_note.issued", data: { tenantId, environment, creditNote } }];
  });
}

/** Publishes to webhooks what was written, in the transaction that wrote it. */
export async function publishChanges(
  deps: BillingDeps,
  tx: Tx,
  writes: readonly AccountWrites[],
): Promise<void> {
  await publishEvents(deps, tx, [
    ...listSubscriptionEvents(writes),
    ...(await listInvoiceEvents(tx, writes)),
    ...(await listNoteEvents(tx, writes)),
  ]);
}
