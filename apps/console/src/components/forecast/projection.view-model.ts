import type { ProjectedInvoice } from "#platform/forecast-queries.ts";
import { formatPercent } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";

/** "$123.40 (80%: $110.00 – $140.20)"; where both bounds are the same, they say nothing. */
export function describeProjection(total: ProjectedInvoice["total"], currency: string): string {
  const money = (amount: string) => formatMoney(amount, currency);
  const { mean, lower80, upper80 } = total;
  return lower80 === upper80
    ? money(mean)
    : `${money(mean)} (${formatPercent(0.8)}: ${money(lower80)} – ${money(upper80)})`;
}
