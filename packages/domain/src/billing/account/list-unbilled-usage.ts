import type { Quantity } from "../../pricing/price.ts";
import type { Line, LineOwner, Span } from "../rating/line.ts";
import type { Account } from "./account.ts";

/** Usage of one card in one of its periods. */
export type UnbilledUsage = Span & { readonly owner: LineOwner; readonly quantity: Quantity };

type Found = { owner: LineOwner; span: Span; quantity: Quantity };

/**
 * Lists usage that a step rated and that is on no invoice: where all lines come to nothing no invoice is issued, so this is the only
 * trace of it beside the ledger.
 *
 * @param before - The account before the step. What was used since, and lines that waited, is on an invoice afterwards, waits, or is
 *   in the list.
 */
export function listUnbilledUsage(before: Account, after: Account): UnbilledUsage[] {
  const found = new Map<string, Found>();
  const add = ({ owner, span, quantity }: Found) => {
    // A line may begin within the stretch that it is of: where a rate of tax changed.
    const stretch = after.closed.find(
      (closed) =>
        closed.owner.runOrder === owner.runOrder &&
        closed.card.key === owner.card &&
        closed.fromMs <= span.fromMs &&
        span.fromMs < closed.toMs,
    );
    const of = stretch ?? span;
    const key = `${String(owner.runOrder)} ${String(of.fromMs)} ${owner.card ?? ""}`;
    const known = found.get(key) ?? { owner, span: of, quantity: 0n };
    found.set(key, { ...known, quantity: known.quantity + quantity });
  };
  const addLines = (lines: readonly Line[], sign: bigint) => {
    for (const { kind, owner, span, quantity } of lines) {
      if ((kind === "usage" || kind === "late") && owner !== undefined && span !== undefined) {
        add({ owner, span, quantity: sign * (quantity ?? 0n) });
      }
    }
  };
  for (const [index, stretch] of after.closed.entries()) {
    const old = before.closed[index];
    if (stretch !== old) {
      const { owner, used } = stretch;
      add({ owner, span: stretch, quantity: used - (old?.used ?? 0n) });
    }
  }
  addLines(before.waiting, 1n);
  addLines(after.waiting, -1n);
  for (const { lines } of after.invoices.slice(before.invoices.length)) {
    addLines(lines, -1n);
  }
  return [...found.values()]
    .filter(({ quantity }) => quantity > 0n)
    .map(({ owner, span: { fromMs, toMs }, quantity }) => ({ owner, fromMs, toMs, quantity }));
}
