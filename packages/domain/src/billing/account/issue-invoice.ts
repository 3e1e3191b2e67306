import { smaller } from "../../money/bounds.ts";
import { applyCoupons, spreadOff, sumLeft } from "../invoices/coupon.ts";
import { chooseGrants, moveCredit, sumBurns, toEntries } from "../invoices/grant.ts";
import { type Invoice, nextNumber } from "../invoices/invoice.ts";
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

/** Lowers lines by coupons, then by promotional credit. */
function lowerLines(account: Account, charges: readonly Line[], atMs: number) {
  const { coupons, invoices, periods } = account;
  const { grants } = account.credit;
  const { lines, discounts } = applyCoupons(charges, coupons, { invoices, periodNumber: periods });
  const left = sumLeft(lines);
  const burns = chooseGrants(grants, { kind: "promotional", amount: left, atMs });
  const amount = sumBurns(burns);
  const lowered = amount === 0n ? lines : spreadOff(lines, amount);
  return {
    lines: [...lowered, ...discounts, ...(amount === 0n ? [] : [toPromotional(amount)])],
    burns,
  };
}

/** What pays an invoice when it is issued. */
type PaidWith = Pick<Invoice, "burns" | "fromBalance" | "prepaid">;

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
  const { terms, invoices, credit } = account;
  const totals = totalTaxes(
    lines
      .filter((line) => isCharge(line) && line.amount > 0n)
      .map((line) => ({ kinds: line.taxes, sum: line.amount - line.discount })),
    terms.seller?.pricesInclude ?? "net",
  );
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
  const { terms, customer, credit } = account;
  const { seller, currency } = terms;
  const taxed = taxLines([...account.waiting, ...lines], { seller, customer, currency });
  const charges = orderLines(taxed.filter(isShown));
  const settled: Account = { ...account, waiting: [] };
  if (charges.every(({ amount }) => amount === 0n)) {
    return settled;
  }
  const lowered = lowerLines(account, charges, atMs);
  return appendInvoice(settled, {
    lines: lowered.lines,
    atMs,
    pay: (total) => {
      const fromBalance = smaller(account.balance, total);
      const amount = total - fromBalance;
      const burns = chooseGrants(credit.grants, { kind: "prepaid", amount, atMs });
      return { burns: [...lowered.burns, ...burns], fromBalance, prepaid: sumBurns(burns) };
    },
  });
}
