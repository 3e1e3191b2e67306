import { larger, smaller } from "../../money/bounds.ts";
import { roundToMinor } from "../../money/currency.ts";
import { divideHalfAway } from "../../money/exact.ts";
import { costOf } from "../../pricing/cost.ts";
import { limitLate } from "../limits/prepaid.ts";
import { sumCharges } from "../limits/spend.ts";
import { createLine, type Line } from "../rating/line.ts";
import type { ClosedStretch } from "../rating/stretch.ts";
import { spanAt } from "../subscription/open-run.ts";
import { planInterval } from "../subscription/plan-interval.ts";
import type { Account, ClosedCommitment } from "./account.ts";
import { issueCreditNotes, type LineCredit } from "./issue-credit-notes.ts";

/** The usage line that a stretch was billed by, where it is on an invoice. */
function findUsageLine(
  { invoices }: Account,
  { owner, fromMs }: ClosedStretch,
): { invoice: number; line: number; billed: Line } | undefined {
  for (const [invoice, { lines, isVoid }] of invoices.entries()) {
    const line = lines.findIndex(
      (candidate) =>
        candidate.kind === "usage" &&
        candidate.owner?.runOrder === owner.runOrder &&
        candidate.owner.card === owner.card &&
        candidate.span?.fromMs === fromMs,
    );
    const billed = lines[line];
    if (billed !== undefined && !isVoid) {
      return { invoice, line, billed };
    }
  }
  return;
}

/** What a lower price of the whole period gives back, net of the discount of the line. */
function creditUsage(account: Account, stretch: ClosedStretch, lowered: bigint): LineCredit[] {
  const found = findUsageLine(account, stretch);
  if (found === undefined || found.billed.amount <= 0n) {
    return [];
  }
  const { invoice, line, billed } = found;
  const amount = divideHalfAway(lowered * (billed.amount - billed.discount), billed.amount);
  return [{ invoice, line, amount }];
}

function setAgainstPlan(
  commitments: readonly ClosedCommitment[],
  { owner, fromMs }: ClosedStretch,
  amount: bigint,
): { commitments: ClosedCommitment[]; rest: bigint } {
  let rest = amount;
  const reduced = commitments.map((commitment) => {
    const isCovering =
      commitment.planId === owner.planId &&
      commitment.isAddOn === owner.isAddOn &&
      commitment.fromMs <= fromMs &&
      fromMs < commitment.toMs;
    const used = isCovering ? smaller(rest, commitment.left) : 0n;
    rest -= used;
    return { ...commitment, left: commitment.left - used };
  });
  return { commitments: reduced, rest };
}

/** What the cap leaves of the period in which a stretch was; undefined without a cap. */
function leftOfCap(
  { cap, subscription, invoices, waiting }: Account,
  { fromMs }: ClosedStretch,
  fresh: readonly Line[],
): bigint | undefined {
  if (cap === undefined || subscription === undefined) {
    return;
  }
  const { anchorMs, run } = subscription;
  const period = spanAt(anchorMs, planInterval(run.inForce.phase), fromMs);
  const lines = [...invoices.flatMap((invoice) => invoice.lines), ...waiting, ...fresh];
  return larger(cap - sumCharges(lines, period), 0n);
}

function billStretch(
  account: Account,
  index: number,
  { quantity, atMs, fresh }: { quantity: bigint; atMs: number; fresh: readonly Line[] },
): { account: Account; line: Line | undefined } {
  const stretch = account.closed[index];
  if (stretch === undefined) {
    return { account, line: undefined };
  }
  const { currency } = account.terms;
  const { card, owner, used } = stretch;
  const costAt = (units: bigint) => roundToMinor(costOf(card.price, units), currency);
  const difference = costAt(used + quantity) - costAt(used);
  const owed = larger(difference, 0n);
  const byCard = smaller(owed, stretch.truedUp);
  const { commitments, rest } = setAgainstPlan(account.commitments, stretch, owed - byCard);
  const grown = { ...stretch, used: used + quantity, truedUp: stretch.truedUp - byCard };
  const billed: Account = {
    ...account,
    closed: account.closed.map((old, place) => (place === index ? grown : old)),
    commitments,
  };
  const left = leftOfCap(account, stretch, fresh);
  const capped = left === undefined ? rest : smaller(rest, left);
  const credits = difference < 0n ? creditUsage(account, stretch, -difference) : [];
  return {
    account: issueCreditNotes(billed, credits, atMs),
    line: createLine({
      kind: "late",
      owner,
      span: { fromMs: stretch.fromMs, toMs: stretch.toMs },
      quantity,
      // What was used beyond the cap, or beyond credit, is not charged: usage that is reported afterwards cannot be refused.
      amount: owner.isPrepaid === true ? limitLate(account, capped, { atMs, fresh }) : capped,
      taxClass: card.taxClass,
    }),
  };
}

/**
 * Bills usage that was recorded after its period was closed: one line for each card and period, the difference that it makes to the
 * total of that period. True-ups of the period pay for it first; where the price of the whole fell, a credit note gives it back. A cap on
 * the period holds for it too.
 */
export function billLateUsage(account: Account, atMs: number): { account: Account; lines: Line[] } {
  const indices = [...new Set(account.late.map(({ closed }) => closed))].sort((a, b) => a - b);
  let current: Account = { ...account, late: [] };
  const lines: Line[] = [];
  for (const index of indices) {
    const quantity = account.late.reduce(
      (sum, use) => (use.closed === index ? sum + use.quantity : sum),
      0n,
    );
    const billed = billStretch(current, index, { quantity, atMs, fresh: lines });
    current = billed.account;
    lines.push(...(billed.line === undefined ? [] : [billed.line]));
  }
  return { account: current, lines };
}
