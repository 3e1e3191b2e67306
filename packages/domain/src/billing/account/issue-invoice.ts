import { smaller } from "../../money/bounds.ts";
import { applyCoupons, spreadOff, sumLeft } from "../invoices/coupon.ts";
import { chooseGrants, moveCredit, sumBurns, toEntries } from "../invoices/grant.ts";
import { type Invoice, nextNumber } from "../invoices/invoice.ts";
import { isPrepaid, isUsage } from "../limits/prepaid.ts";
import { createLine, isCharge, type Line } from "../rating/line.ts";
import { orderLines } from "../rating/order-lines.ts";
import { taxLines } from "../tax/tax-lines.ts";
import { totalTaxes } from "../tax/tax-totals.ts";
import type { Account } from "./account.ts";

/** Lines of nothing are left out, unless they say what was used. */
function isShown({ kind, amount, quantity }: Line): boolean {
  const isUsage = kind === "usage" || kind === "late" || kind === "beyondCap";
  return amount !== 0n || (isUsage && (quantity ?? 0n) > 0n);
}

function toPromotional(amount: bigint): Line {
  return createLine({
    kind: "promotional",
    owner: undefined,
    span: undefined,
    quantity: undefined,
    amount: -amount,
    taxClass: "standard",
  });
}

/** What credit may pay for on an invoice, and since when that has drawn on it. */
type CreditUse = {
  readonly isFor: (line: Line) => boolean;
  readonly sinceMs: number;
};

/** On a prepaid plan credit is for usage alone: a fee would take what calls have drawn already. */
function creditUseOf(account: Account, charges: readonly Line[], atMs: number): CreditUse {
  const draws = isPrepaid(account);
  const starts = charges.flatMap(({ kind, owner, span }) =>
    span !== undefined && isUsage({ kind }) && (draws || owner?.isPrepaid === true)
      ? [span.fromMs]
      : [],
  );
  return {
    isFor: (line) => !draws || isUsage(line),
    sinceMs: Math.min(atMs, ...starts),
  };
}

/** Takes a sum off the lines that it is for. */
function spreadOver(
  lines: readonly Line[],
  amount: bigint,
  isFor: CreditUse["isFor"],
): readonly Line[] {
  const lowered = spreadOff(lines.filter(isFor), amount).values();
  return lines.map((line) => (isFor(line) ? (lowered.next().value ?? line) : line));
}

/** Lowers lines by coupons, then by promotional credit. */
function lowerLines(
  account: Account,
  charges: readonly Line[],
  { atMs, use }: { atMs: number; use: CreditUse },
) {
  const { coupons, invoices, periods } = account;
  const { grants } = account.credit;
  const { lines, discounts } = applyCoupons(charges, coupons, { invoices, periodNumber: periods });
  const left = sumLeft(lines.filter(use.isFor));
  const burns = chooseGrants(grants, {
    kind: "promotional",
    amount: left,
    atMs,
    sinceMs: use.sinceMs,
  });
  const amount = sumBurns(burns);
  const lowered = amount === 0n ? lines : spreadOver(lines, amount, use.isFor);
  return {
    lines: [...lowered, ...discounts, ...(amount === 0n ? [] : [toPromotional(amount)])],
    burns,
  };
}

/**
 * Lowers charges as the next invoice of an account would: by coupons that hold in its period, then by promotional credit that may be
 * used at an instant. Nothing of the account changes.
 */
export function lowerCharges(
  account: Account,
  charges: readonly Line[],
  atMs: number,
): readonly Line[] {
  return lowerLines(account, charges, { atMs, use: creditUseOf(account, charges, atMs) }).lines;
}

/** What pays an invoice when it is issued. */
type PaidWith = Pick<Invoice, "burns" | "fromBalance" | "prepaid">;

function totalOf({ terms }: Account, lines: readonly Line[]) {
  return totalTaxes(
    lines
      .filter((line) => isCharge(line) && line.amount > 0n)
      .map((line) => ({ kinds: line.taxes, sum: line.amount - line.discount })),
    terms.seller?.pricesInclude ?? "net",
  );
}

/** Pays an invoice from the balance, then from prepaid credit. On a prepaid plan credit goes first, for what it is for. */
function payWithCredit(
  account: Account,
  lines: readonly Line[],
  { total, atMs, use }: { total: bigint; atMs: number; use: CreditUse },
): PaidWith {
  const { grants } = account.credit;
  const burn = (amount: bigint) =>
    chooseGrants(grants, { kind: "prepaid", amount, atMs, sinceMs: use.sinceMs });
  if (!isPrepaid(account)) {
    const fromBalance = smaller(account.balance, total);
    const burns = burn(total - fromBalance);
    return { burns, fromBalance, prepaid: sumBurns(burns) };
  }
  const others = totalOf(
    account,
    lines.filter((line) => !use.isFor(line)),
  );
  const burns = burn(total - others.total);
  const prepaid = sumBurns(burns);
  return { burns, fromBalance: smaller(account.balance, total - prepaid), prepaid };
}

/** Taxes lines that are ready, and adds their invoice to the account. The number is taken last. */
export function appendInvoice(
  account: Account,
  {
    lines,
    atMs,
    pay,
    topUp,
  }: {
    lines: readonly Line[];
    atMs: number;
    pay: (total: bigint) => PaidWith;
    topUp?: string;
  },
): Account {
  const { invoices, credit } = account;
  const totals = totalOf(account, lines);
  const { burns, fromBalance, prepaid } = pay(totals.total);
  const invoice: Invoice = {
    ...totals,
    number: nextNumber("INV", invoices, atMs),
    issuedAtMs: atMs,
    periodNumber: account.periods,
    lines,
    burns,
    fromBalance,
    prepaid,
    paid: 0n,
    credited: 0n,
    isVoid: false,
    ...(topUp !== undefined && { topUp }),
  };
  return {
    ...account,
    invoices: [...invoices, invoice],
    balance: account.balance - fromBalance,
    credit: moveCredit(
      credit,
      toEntries(burns, { kind: "burned", atMs, invoice: invoices.length }),
    ),
  };
}

/**
 * Issues one invoice for lines and for those that waited: cut by tax, ordered, lowered by coupons and credit, taxed, and paid from the
 * balance and from prepaid credit. When no line has an amount, there is no invoice.
 *
 * @throws {NoTaxRate} When the table of rates has none for a line.
 */
export function issueInvoice(account: Account, lines: readonly Line[], atMs: number): Account {
  const { terms, customer } = account;
  const { seller, currency } = terms;
  const taxed = taxLines([...account.waiting, ...lines], { seller, customer, currency });
  const charges = orderLines(taxed.filter(isShown));
  const settled: Account = { ...account, waiting: [] };
  if (charges.every(({ amount }) => amount === 0n)) {
    return settled;
  }
  const use = creditUseOf(account, charges, atMs);
  const { lines: lowered, burns } = lowerLines(account, charges, { atMs, use });
  return appendInvoice(settled, {
    lines: lowered,
    atMs,
    pay: (total) => {
      const paid = payWithCredit(account, lowered, { total, atMs, use });
      return { ...paid, burns: [...burns, ...paid.burns] };
    },
  });
}
