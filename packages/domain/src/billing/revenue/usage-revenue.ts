import { divideHalfAway } from "../../money/exact.ts";
import type { Invoice } from "../invoices/invoice.ts";
import { isCharge, type LineKind } from "../rating/line.ts";

/** Lines of usage: what was used, what was recorded late, and what a minimum charged beyond usage. */
const USAGE_KINDS: ReadonlySet<LineKind> = new Set(["usage", "late", "commitment"]);

/**
 * What an invoice charges for usage, less discounts and before tax, in minor units. With prices that include tax, usage has the part of
 * the invoice's net that it has of its lines.
 */
export function usageRevenueOf({ lines, net }: Pick<Invoice, "lines" | "net">): bigint {
  let [usage, charged] = [0n, 0n];
  for (const line of lines.filter(isCharge)) {
    const left = line.amount - line.discount;
    charged += left;
    usage += USAGE_KINDS.has(line.kind) ? left : 0n;
  }
  return charged === net || charged <= 0n ? usage : divideHalfAway(usage * net, charged);
}
