import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { joinClasses } from "@turnpike/ui/join-classes";
import type { ReactNode } from "react";
import type { PaymentSetup, Quote } from "#platform/billing-queries.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { InvoiceLines } from "../invoice-lines.tsx";
import { InvoiceSums } from "../invoice-sums.tsx";
import { toPaymentText } from "./payment.view-model.ts";
import { toEffect, toFirstPeriodText, toQuoteFacts } from "./quote.view-model.ts";

export type QuoteViewProps = {
  quote: Quote;
  /** How the tenant pays; undefined while it loads, and in the sandbox, where nothing is owed. */
  setup: PaymentSetup | undefined;
};

/** What a change comes to, as the billing engine computed it: documents, waiting lines, sums, and how they are paid. */
export function QuoteView({ quote, setup }: QuoteViewProps) {
  return (
    <div className="space-y-4">
      <ul className="space-y-1">
        {quote.texts.map((text) => (
          <li key={text}>{inLanguage(text)}</li>
        ))}
        {/* Of a first plan the sentence above says when it begins. */}
        <li className="text-ink-muted">{toFirstPeriodText(quote) ?? toEffect(quote)}</li>
      </ul>
      {quote.creditNotes.map((note) => (
        <Part
          key={`${note.invoiceNumber} ${note.reason}`}
          title={t`Credit of ${note.invoiceNumber}`}
        >
          <Credit note={note} />
        </Part>
      ))}
      {quote.invoices.map((invoice) => (
        <Part key={JSON.stringify(invoice.lines)} title={t`Invoice issued at once`}>
          <InvoiceLines
            label={t`Lines of the invoice`}
            lines={invoice.lines}
            currency={invoice.currency}
            issuedAt={quote.at}
          />
          <div className="border-line border-t pt-2">
            <InvoiceSums sums={invoice} />
          </div>
        </Part>
      ))}
      {quote.waiting.length > 0 && (
        <Part title={t`On your next invoice`}>
          <InvoiceLines
            label={t`Lines of the next invoice`}
            lines={quote.waiting}
            currency={quote.currency}
          />
        </Part>
      )}
      <dl className="space-y-1 rounded-control bg-sunken px-3 py-2.5 tabular-nums">
        {toQuoteFacts(quote).map(({ key, label, value }) => (
          <div
            key={key}
            className={joinClasses(
              "flex flex-wrap justify-between gap-x-4",
              key === "due" && "font-semibold text-base",
            )}
          >
            <dt>{label}</dt>
            <dd className="ml-auto text-right">{value}</dd>
          </div>
        ))}
      </dl>
      {setup !== undefined && <p>{toPaymentText(quote, setup)}</p>}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="rounded-control border border-line px-3 py-2.5">
      <h3 className="font-medium">{title}</h3>
      {children}
    </section>
  );
}

/** What a credit note takes back, and where it goes. */
function Credit({ note }: { note: Quote["creditNotes"][number] }) {
  const money = (amount: string) => formatMoney(amount, note.currency);
  return (
    <div className="mt-1 space-y-1 tabular-nums">
      <ul className="space-y-1">
        {note.lines.map((line) => (
          <li
            key={`${String(line.invoiceLine)} ${line.description}`}
            className="flex justify-between gap-4"
          >
            <span className="min-w-0">{line.description}</span>
            <span>{money(line.amount)}</span>
          </li>
        ))}
        {note.taxes
          .filter(({ amount }) => !isZero(amount))
          .map((tax) => (
            <li key={`${tax.name ?? ""} ${tax.rate}`} className="flex justify-between gap-4">
              <span>
                {tax.name ?? t`Tax`} {tax.rate}%
              </span>
              <span>{money(tax.amount)}</span>
            </li>
          ))}
      </ul>
      <p className="flex justify-between gap-4 border-line border-t pt-1 font-medium">
        <span>
          <Trans>Credit</Trans>
        </span>
        <span>{money(note.total)}</span>
      </p>
      <p className="text-ink-muted text-xs">
        {[
          ...(isZero(note.toDue)
            ? []
            : [t`${money(note.toDue)} off what that invoice leaves to pay`]),
          ...(isZero(note.toBalance) ? [] : [t`${money(note.toBalance)} to your balance`]),
        ].join(", ")}
      </p>
    </div>
  );
}
