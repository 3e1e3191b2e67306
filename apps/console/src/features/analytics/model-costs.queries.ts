import { queryOptions } from "@tanstack/react-query";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import type { ApiClient } from "#platform/api-client.ts";
import { type BillingPlace, billingKey, type LinePart } from "#platform/billing-queries.ts";

export type ModelCosts = {
  /** ISO 4217. */
  currency: string;
  /** What the usage of each model adds to the running invoice, exact decimals in major units. */
  byModel: ReadonlyMap<string, string>;
};

/** Opening a line reads the ledger: an invoice has a line for each meter, and each price of it. */
const LINES_MAX = 20;
/** Parts of one line: an API has fewer models. */
const PARTS_MAX = 100;

/** Adds up the parts of several lines by model, exactly. Usage without a model is left out. */
export function sumByModel(parts: readonly Pick<LinePart, "model" | "amount">[]) {
  const sums = new Map<string, bigint>();
  for (const { model, amount } of parts) {
    if (model !== null) {
      sums.set(model, (sums.get(model) ?? 0n) + toScaled(amount));
    }
  }
  return new Map([...sums].map(([model, sum]) => [model, fromScaled(sum)]));
}

/** Opens the usage lines of the running invoice to models: the same parts as on Billings, so they sum to the invoice. */
export function modelCostsQuery(api: ApiClient, place: BillingPlace) {
  return queryOptions({
    queryKey: [...billingKey(place), place.environment, "model-costs"],
    queryFn: async ({ signal }): Promise<ModelCosts> => {
      const { currency, lines } = await api.billing.getUpcomingInvoice(place, { signal });
      const opened = lines.filter(({ hasUsage }) => hasUsage).slice(0, LINES_MAX);
      const pages = await Promise.all(
        opened.map(({ number }) =>
          api.billing.listLineUsage(
            { ...place, invoiceId: "upcoming", line: number, by: "model", limit: PARTS_MAX },
            { signal },
          ),
        ),
      );
      return { currency, byModel: sumByModel(pages.flatMap(({ items }) => items)) };
    },
    staleTime: 60_000,
  });
}
