import { larger, smaller } from "../../money/bounds.ts";
import type { Account } from "../account/account.ts";
import {
  addGrant,
  type Credit,
  type CreditEntry,
  expireCredit,
  type Grant,
  moveCredit,
} from "../invoices/grant.ts";
import { dueOf, type Invoice } from "../invoices/invoice.ts";
import { drawsSinceMs } from "../limits/prepaid.ts";
import type { Line } from "../rating/line.ts";
import { isTaxedTopUp } from "./top-up.ts";

/** Credit that is paid for goes before what the operator gives at the usual priority, and expires never. */
const TOP_UP_PRIORITY = 40;

/**
 * What an invoice has bought by now: all that was not credited once it is paid, and nothing before. Where a refund has made it due
 * again, the part that is still paid.
 */
function boughtBy(invoice: Invoice, line: Line, isGranted: boolean): bigint {
  const { total, credited, paid, toBalance = 0n } = invoice;
  const whole = line.amount - line.credited;
  if (invoice.isVoid || whole === 0n) {
    return 0n;
  }
  if (dueOf(invoice) === 0n) {
    return whole;
  }
  return isGranted ? (whole * larger(paid - toBalance, 0n)) / larger(total - credited, 1n) : 0n;
}

/** Takes from the newest grants of a top-up what was not bought after all, as far as it is left. */
function revokeBeyond(
  grants: readonly (readonly [number, Grant])[],
  beyond: bigint,
  { invoice, atMs }: { invoice: number; atMs: number },
): CreditEntry[] {
  let missing = beyond;
  return [...grants].reverse().flatMap(([grant, { left }]): CreditEntry[] => {
    const amount = smaller(left, missing);
    missing -= amount;
    return amount === 0n ? [] : [{ grant, kind: "revoked", amount: -amount, atMs, invoice }];
  });
}

/** Grants what an invoice has bought, or takes back what it has not bought after all. */
function settleTopUp(
  credit: Credit,
  { invoice, index, topUp, atMs }: { invoice: Invoice; index: number; topUp: string; atMs: number },
): Credit {
  const line = invoice.lines[0];
  const grants = [...credit.grants.entries()].filter(([, grant]) => grant.topUp === topUp);
  if (line === undefined) {
    return credit;
  }
  const held = grants.reduce((sum, [, { granted, withdrawn }]) => sum + granted - withdrawn, 0n);
  const bought = boughtBy(invoice, line, grants.length > 0);
  if (bought > held) {
    const grant = {
      kind: isTaxedTopUp(line) ? ("promotional" as const) : ("prepaid" as const),
      granted: bought - held,
      priority: TOP_UP_PRIORITY,
      effectiveAtMs: atMs,
      expiresAtMs: undefined,
      topUp,
    };
    return addGrant(credit, grant, { atMs, invoice: index });
  }
  return moveCredit(credit, revokeBeyond(grants, held - bought, { invoice: index, atMs }));
}

/**
 * Lets credit follow from what is known: invoices that bought some are paid, or due again, and what has expired is gone. Doing it twice
 * changes nothing.
 */
export function settleCredit(account: Account, atMs: number): Account {
  let credit = account.credit;
  for (const [index, invoice] of account.invoices.entries()) {
    if (invoice.topUp !== undefined) {
      credit = settleTopUp(credit, { invoice, index, topUp: invoice.topUp, atMs });
    }
  }
  credit = expireCredit(credit, atMs, drawsSinceMs(account, atMs));
  return credit.entries.length === account.credit.entries.length ? account : { ...account, credit };
}
