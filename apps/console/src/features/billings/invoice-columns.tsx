import { t } from "@lingui/core/macro";
import { Badge } from "@turnpike/ui/badge";
import type { Column } from "@turnpike/ui/column";
import type { InvoiceSummary } from "#platform/billing-queries.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { toInvoiceBadge } from "./invoice.view-model.ts";

/**
 * The columns of a list of invoices.
 *
 * @param now - The clock that tells what is overdue; undefined while it is not known, or where each tenant has its own.
 * @param owner - The column that names the tenant, in lists of several.
 */
export function makeInvoiceColumns(
  now: string | undefined,
  owner?: Column<InvoiceSummary>,
): readonly Column<InvoiceSummary>[] {
  return [
    {
      id: "number",
      header: t`Number`,
      phone: "title",
      cell: ({ number }) => <span className="font-medium">{number}</span>,
    },
    ...(owner === undefined ? [] : [owner]),
    {
      id: "state",
      header: t`State`,
      cell: (invoice) => {
        const { tone, label } = toInvoiceBadge(invoice, now);
        return <Badge tone={tone}>{label}</Badge>;
      },
    },
    { id: "issued", header: t`Issued`, cell: ({ issuedAt }) => formatDate(issuedAt) },
    { id: "due", header: t`Due`, cell: ({ dueAt }) => formatDate(dueAt) },
    {
      id: "total",
      header: t`Total`,
      align: "end",
      cell: ({ total, currency }) => formatMoney(total, currency),
    },
    {
      id: "open",
      header: t`To pay`,
      align: "end",
      cell: ({ due, currency }) => formatMoney(due, currency),
    },
  ];
}
