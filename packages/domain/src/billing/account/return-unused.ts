import { smaller } from "../../money/bounds.ts";
import { roundToMinor } from "../../money/currency.ts";
import { compareExact, divideHalfAway, type Exact } from "../../money/exact.ts";
import {
  creditableOf,
  type Line,
  type LineOwner,
  lengthOf,
  prorate,
  type Span,
} from "../rating/line.ts";
import type { Account } from "./account.ts";
import { issueCreditNotes, type LineCredit } from "./issue-credit-notes.ts";

type Returned = {
  readonly atMs: number;
  /** Whose lines end. */
  readonly isEnding: (owner: LineOwner) => boolean;
  /** A share of the line's time that may be smaller than what is left of it; undefined to go by time alone. */
  readonly quotaShare: (owner: LineOwner, span: Span) => Exact | undefined;
};

/** The part of a line's time that is left, `[0, 1]`. */
function timeShare(span: Span, atMs: number): Exact {
  const left = { fromMs: Math.max(atMs, span.fromMs), toMs: span.toMs };
  return { numerator: lengthOf(left), denominator: lengthOf(span) };
}

function isUnused(
  line: Line,
  { atMs, isEnding }: Returned,
): line is Line & { span: Span; owner: LineOwner } {
  const { span, owner, isAdvance, isReturned } = line;
  return (
    isAdvance &&
    !isReturned &&
    span !== undefined &&
    owner !== undefined &&
    span.toMs > atMs &&
    isEnding(owner)
  );
}

/** A line that waits was not billed yet, so it is shortened. */
function shorten(line: Line, returned: Returned, account: Account): Line[] {
  if (!isUnused(line, returned) || line.source?.of !== "fee") {
    return [line];
  }
  const span = { fromMs: line.span.fromMs, toMs: returned.atMs };
  if (span.fromMs >= span.toMs) {
    return [];
  }
  const exact = prorate(line.source.price, span, line.source.full);
  return [{ ...line, span, amount: roundToMinor(exact, account.terms.currency) }];
}

/**
 * Gives back what was billed in advance and lies beyond an instant: once for each line, net of its discount, by credit note on the
 * invoice that billed it.
 */
export function returnUnused(account: Account, returned: Returned): Account {
  const credits: LineCredit[] = [];
  const invoices = account.invoices.map((invoice, index) => {
    if (invoice.isVoid || !invoice.lines.some((line) => isUnused(line, returned))) {
      return invoice;
    }
    const lines = invoice.lines.map((line, place) => {
      if (!isUnused(line, returned)) {
        return line;
      }
      const time = timeShare(line.span, returned.atMs);
      const quota = returned.quotaShare(line.owner, line.span);
      const share = quota !== undefined && compareExact(quota, time) < 0 ? quota : time;
      const asked = divideHalfAway(
        (line.amount - line.discount) * share.numerator,
        share.denominator,
      );
      const left = creditableOf(line);
      credits.push({ invoice: index, line: place, amount: smaller(asked, left) });
      return { ...line, isReturned: true };
    });
    return { ...invoice, lines };
  });
  const waiting = account.waiting.flatMap((line) => shorten(line, returned, account));
  return issueCreditNotes({ ...account, invoices, waiting }, credits, returned.atMs);
}
