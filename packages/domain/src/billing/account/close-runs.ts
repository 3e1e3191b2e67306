import { roundToMinor } from "../../money/currency.ts";
import { SCALE } from "../../money/decimal.ts";
import { toExact } from "../../money/exact.ts";
import { createLine, isCharge, type Line, prorate, type Span } from "../rating/line.ts";
import { type ClosedStretch, closeStretch, withoutLater } from "../rating/stretch.ts";
import type { Run, RunningMinimum } from "../subscription/subscription.ts";
import type { Account } from "./account.ts";

/** What was billed, or is about to be, for a plan in a span, before coupons and less what was credited of it. */
function sumCovered(
  account: Account,
  fresh: readonly Line[],
  { planId, isAddOn, span }: { planId: string; isAddOn: boolean; span: Span },
): bigint {
  const lines = [
    ...account.invoices.flatMap((invoice) => invoice.lines),
    ...account.waiting,
    ...fresh,
  ];
  return lines.reduce((sum, line) => {
    const isCovered =
      isCharge(line) &&
      line.owner?.planId === planId &&
      line.owner.isAddOn === isAddOn &&
      line.span !== undefined &&
      span.fromMs <= line.span.fromMs &&
      line.span.fromMs < span.toMs;
    return isCovered ? sum + line.amount - line.credited : sum;
  }, 0n);
}

/** Charges what a plan's lines lack of the minimum of its phase. */
function closeMinimum(
  account: Account,
  minimum: RunningMinimum,
  { atMs, fresh }: { atMs: number; fresh: readonly Line[] },
): { account: Account; lines: Line[] } {
  const { owner, amount, full, taxClass } = minimum;
  const span = { fromMs: minimum.fromMs, toMs: Math.min(atMs, minimum.toMs) };
  if (span.fromMs >= span.toMs) {
    return { account, lines: [] };
  }
  const { planId, isAddOn } = owner;
  const least = roundToMinor(prorate(toExact(amount), span, full), account.terms.currency);
  const missing = least - sumCovered(account, fresh, { planId, isAddOn, span });
  if (missing <= 0n) {
    return { account, lines: [] };
  }
  const line = createLine({
    kind: "commitment",
    owner,
    span,
    quantity: SCALE,
    amount: missing,
    taxClass,
  });
  const commitment = { ...span, planId, isAddOn, left: missing };
  return {
    account: { ...account, commitments: [...account.commitments, commitment] },
    lines: [line],
  };
}

/** What ends at an instant: everything of a run, or what has reached its end. */
export type Ending = { readonly run: Run; readonly isCut: boolean };

/**
 * Closes stretches and minimums: usage, fees in arrears and true-ups are charged up to `atMs`. Lines in `fresh` count for the minimums
 * of phases.
 *
 * @param input.passesOn - True when something begins at `atMs` that takes over the usage of that instant.
 * @returns The lines with those of `fresh`, and the runs with what is still open.
 */
export function closeRuns(
  account: Account,
  endings: readonly Ending[],
  { atMs, passesOn, fresh }: { atMs: number; passesOn: boolean; fresh: readonly Line[] },
): { account: Account; runs: Run[]; lines: Line[] } {
  const lines = [...fresh];
  const closed: ClosedStretch[] = [];
  const kept = endings.map(({ run, isCut }) => {
    const isEnding = ({ toMs }: Span) => isCut || toMs <= atMs;
    for (const stretch of run.stretches.filter(isEnding)) {
      const ended = passesOn ? withoutLater(stretch, atMs) : stretch;
      const result = closeStretch(ended, atMs, account.terms.currency);
      lines.push(...result.lines);
      closed.push(...(result.closed === undefined ? [] : [result.closed]));
    }
    return { ...run, stretches: run.stretches.filter((stretch) => !isEnding(stretch)) };
  });
  let current: Account = { ...account, closed: [...account.closed, ...closed] };
  const runs = kept.map((run, index) => {
    const { minimum } = run;
    if (minimum === undefined || !(endings[index]?.isCut === true || minimum.toMs <= atMs)) {
      return run;
    }
    const result = closeMinimum(current, minimum, { atMs, fresh: lines });
    current = result.account;
    lines.push(...result.lines);
    return { ...run, minimum: undefined };
  });
  return { account: current, runs, lines };
}
