import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { Invoice } from "#platform/billing-queries.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { refreshInvoices } from "./all-invoices.queries.ts";

type Invoicing = ApiClient["invoicing"];
/** The id of an invoice as operations take it. */
export type InvoiceId = Parameters<Invoicing["voidInvoice"]>[0]["invoiceId"];

/** An answer of the API has the id as text, which it takes back as it is. */
export function asInvoiceId(invoiceId: Invoice["invoiceId"]): InvoiceId {
  return invoiceId as InvoiceId;
}

export type InvoiceChangeInput<Variables, Answer> = {
  invoice: Invoice;
  change: (invoicing: Invoicing, input: Variables) => Promise<Answer>;
  /** What is said once it is done. */
  toSuccess: (answer: Answer, input: Variables) => string;
  onDone: () => void;
};

/** Changes an issued invoice, once for each press, and shows what came of it. */
export function useInvoiceChange<Variables, Answer>(input: InvoiceChangeInput<Variables, Answer>) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = input.invoice;
  const mutation = useMutation({
    mutationKey: ["billing", "change-invoice"],
    mutationFn: (variables: Variables) => input.change(api.invoicing, variables),
    onSuccess: async (answer, variables) => {
      toast.success(input.toSuccess(answer, variables));
      input.onDone();
      await refreshInvoices(client, tenantId as Parameters<typeof refreshInvoices>[1]);
    },
  });
  return { mutation, submit: useSubmitOnce(mutation.mutateAsync, "failed") };
}
