import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card } from "@turnpike/ui/card";
import type { ReactNode } from "react";
import { InvoiceLines } from "#components/billing/invoice-lines.tsx";
import { InvoiceSums } from "#components/billing/invoice-sums.tsx";
import type { Invoice } from "#platform/billing-queries.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatDate, formatMinute, formatSpan } from "#platform/format-period.ts";
import type { BillingsProps } from "./billings-props.ts";
import { withoutLine } from "./billings-search.view-model.ts";
import { CreditNoteDownloads } from "./invoice-downloads.tsx";
import { LineSheet } from "./line-sheet.tsx";

export type InvoiceDocumentProps = Omit<BillingsProps, "tenant"> & {
  invoice: Invoice;
  /** What the reader can do about it: above all else on a phone. */
  aside?: ReactNode;
};

/** The parts of an invoice: parties, lines, sums, credit notes and payments. */
export function InvoiceDocument(props: InvoiceDocumentProps) {
  const { invoice, place, search, onSearchChange, aside } = props;
  const { currency, lines } = invoice;
  const span = formatSpan(invoice.from, invoice.to);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-3 lg:grid-rows-[auto_1fr]">
      <div className="min-w-0 empty:hidden lg:col-start-3">{aside}</div>
      <div className="min-w-0 space-y-4 lg:col-span-2 lg:col-start-1 lg:row-span-2 lg:row-start-1">
        <Card title={t`Lines`} {...(span !== undefined && { description: span })}>
          <InvoiceLines
            label={t`Lines of invoice ${invoice.number}`}
            lines={lines}
            currency={currency}
            issuedAt={invoice.issuedAt}
            onOpen={(line) => onSearchChange({ ...withoutLine(search), line })}
          />
          <div className="border-line border-t pt-3">
            <InvoiceSums sums={invoice} dueLabel={t`To pay`} />
          </div>
          <p className="mt-4 text-ink-muted text-xs">
            <Trans>
              With usage recorded up to {formatMinute(invoice.cutOffAt)}. Usage that arrives later
              is on the next invoice.
            </Trans>
          </p>
        </Card>
        <CreditNotes invoice={invoice} />
        <Payments invoice={invoice} />
      </div>
      <div className="min-w-0 space-y-4 lg:col-start-3">
        <Party title={t`From`} party={invoice.seller} />
        <Party title={t({ message: "To", context: "recipient" })} party={invoice.customer} />
      </div>
      <LineSheet
        place={place}
        invoiceId={invoice.invoiceId}
        lines={lines}
        currency={currency}
        search={search}
        onSearchChange={onSearchChange}
      />
    </div>
  );
}

function Party({ title, party }: { title: string; party: Invoice["seller"] }) {
  return (
    <Card title={title}>
      <address className="not-italic [overflow-wrap:anywhere]">
        <span className="block font-medium">{party.name}</span>
        {party.lines.map((line) => (
          <span key={line} className="block">
            {line}
          </span>
        ))}
        {party.country !== null && <span className="block">{party.country}</span>}
        {party.taxId !== null && (
          <span className="mt-1 block text-ink-muted">
            <Trans>Tax id {party.taxId}</Trans>
          </span>
        )}
        {party.email !== null && <span className="mt-1 block text-ink-muted">{party.email}</span>}
      </address>
    </Card>
  );
}

/** Nothing where there are none: an invoice that stands has none. */
function CreditNotes({ invoice }: { invoice: Invoice }) {
  if (invoice.creditNotes.length === 0) {
    return null;
  }
  return (
    <Card title={t`Credit notes`}>
      <ul className="divide-y divide-line">
        {invoice.creditNotes.map((note) => (
          <li key={note.creditNoteId} className="py-3 first:pt-0 last:pb-0">
            <div className="flex flex-wrap justify-between gap-x-4">
              <p className="font-medium">
                {note.number}, {formatDate(note.issuedAt)}
              </p>
              <p className="font-medium tabular-nums">{formatMoney(note.total, note.currency)}</p>
            </div>
            <div className="mt-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <p className="text-ink-muted">{note.reason}</p>
              <CreditNoteDownloads invoice={invoice} note={note} />
            </div>
            <ul className="mt-1 text-ink-muted text-xs tabular-nums">
              {note.lines.map((line) => (
                <li
                  key={`${String(line.invoiceLine)} ${line.description}`}
                  className="flex justify-between gap-4"
                >
                  <span>{line.description}</span>
                  <span>{formatMoney(line.amount, note.currency)}</span>
                </li>
              ))}
              {!isZero(note.toDue) && (
                <li>
                  <Trans>
                    {formatMoney(note.toDue, note.currency)} off what this invoice leaves to pay
                  </Trans>
                </li>
              )}
              {!isZero(note.toBalance) && (
                <li>
                  <Trans>{formatMoney(note.toBalance, note.currency)} added to your balance</Trans>
                </li>
              )}
            </ul>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Payments({ invoice }: { invoice: Invoice }) {
  return (
    <Card title={t`Payments`}>
      {invoice.payments.length === 0 ? (
        <p className="text-ink-muted">
          {isZero(invoice.due) ? t`None was needed.` : t`None has arrived yet.`}
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {invoice.payments.map((payment) => (
            <li
              key={payment.paymentId}
              className="flex flex-wrap justify-between gap-x-4 py-2 first:pt-0 last:pb-0"
            >
              <span>
                {formatDate(payment.paidAt)}{" "}
                <span className="text-ink-muted">
                  <Trans>Reference {payment.reference}</Trans>
                </span>
              </span>
              <span className="tabular-nums">{formatMoney(payment.amount, invoice.currency)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
