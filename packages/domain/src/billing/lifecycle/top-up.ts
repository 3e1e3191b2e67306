import { SCALE } from "../../money/decimal.ts";
import type { Account } from "../account/account.ts";
import { appendInvoice } from "../account/issue-invoice.ts";
import { createLine, type Line } from "../rating/line.ts";
import { taxLines } from "../tax/tax-lines.ts";

/** Class of lines that no rate is looked up for: money that is paid in advance is no supply yet. */
const UNTAXED = "untaxed";

/** Credit that a customer buys. */
export type TopUp = {
  /** Minor units, above 0, in the terms of lines: net, or gross with gross prices. */
  readonly amount: bigint;
  readonly label: string;
  /** Names it, unlike all others of the account. */
  readonly key: string;
  /**
   * True where credit is taxed when it is bought (a single-purpose voucher): it lowers later invoices before the tax. Otherwise it pays
   * them after the tax. It is never taxed twice.
   */
  readonly isTaxed: boolean;
};

function taxTopUp(account: Account, line: Line): Line[] {
  const { terms, customer } = account;
  const { seller, currency } = terms;
  return line.taxClass === UNTAXED && seller !== undefined
    ? [{ ...line, taxes: [{ category: "O", rate: 0n, name: undefined }] }]
    : taxLines([line], { seller, customer, currency });
}

/**
 * Invoices credit that a customer buys, on an invoice of its own: coupons do not lower it, and neither balance nor credit pay it. Once
 * it is paid the credit is there.
 *
 * @throws {NoTaxRate} When it is taxed and the table of rates has none.
 */
export function issueTopUp(
  account: Account,
  { amount, label, key, isTaxed }: TopUp,
  atMs: number,
): Account {
  const line = createLine({
    kind: "topUp",
    owner: undefined,
    span: { fromMs: atMs, toMs: atMs },
    quantity: SCALE,
    amount,
    taxClass: isTaxed ? "standard" : UNTAXED,
    label,
  });
  const paidWith = { burns: [], fromBalance: 0n, prepaid: 0n };
  return appendInvoice(account, {
    lines: taxTopUp(account, line),
    atMs,
    pay: () => paidWith,
    topUp: key,
  });
}

/** True for credit that was taxed when it was bought. */
export function isTaxedTopUp({ taxClass }: Line): boolean {
  return taxClass !== UNTAXED;
}
