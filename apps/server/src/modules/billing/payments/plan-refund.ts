import type { Tx } from "@turnpike/db/client";
import type { Account } from "@turnpike/domain/billing/account/account";
import {
  type Share,
  type TakenMoney,
  takeMoneyBack,
} from "@turnpike/domain/billing/payments/move-money";
import { creditableOf } from "@turnpike/domain/billing/rating/line";
import { doStep } from "@turnpike/domain/billing/steps/do-step";
import { smaller } from "@turnpike/domain/money/bounds";
import { formatMinor } from "@turnpike/domain/money/currency";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import {
  listHoldingInvoices,
  listShares,
  type ReceivedRow,
  type ShareRow,
} from "./received-payments.store.ts";

/** A refund as its account sees it. */
export type PlannedRefund = TakenMoney & { after: Account };

/** Invoices that a refund may make due again. */
export type RefundSources = {
  /** What invoices have of the payment. */
  shares: readonly ShareRow[];
  /** Others of the customer that hold as much as may be missing, newest first. */
  others: readonly string[];
  /** All of them, to be loaded. */
  invoiceIds: readonly string[];
};

/** Lock the account before. */
export async function listRefundSources(
  tx: Tx,
  { tenantId, environment, paymentId }: ReceivedRow,
  amount: bigint,
): Promise<RefundSources> {
  const shares = await listShares(tx, [paymentId]);
  const own = shares.map(({ invoiceId }) => invoiceId);
  const others = await listHoldingInvoices(tx, { tenantId, environment, amount });
  return { shares, others, invoiceIds: [...new Set([...own, ...others])] };
}

/** The sources as the engine knows them. */
function toGivers(loaded: LoadedAccount, { shares, others }: RefundSources) {
  const placeOf = (invoiceId: string) => loaded.invoiceIds.indexOf(invoiceId);
  return {
    shares: shares.flatMap(({ invoiceId, amount }): Share[] => {
      const invoice = placeOf(invoiceId);
      return invoice < 0 ? [] : [{ invoice, amount: BigInt(amount) }];
    }),
    others: others.map(placeOf).filter((invoice) => invoice >= 0),
  };
}

/**
 * Credits an invoice so that the note comes to a sum with its taxes. Lines are credited in their own terms, so it may come to a unit or
 * two more, which the balance keeps; never to less, unless nothing is left.
 */
function creditInvoice(
  account: Account,
  { invoice: index, total, atMs }: { invoice: number; total: bigint; atMs: number },
): Account {
  const invoice = account.invoices[index];
  const creditable = invoice?.lines.reduce((sum, line) => sum + creditableOf(line), 0n) ?? 0n;
  const left = invoice === undefined ? 0n : invoice.total - invoice.credited;
  if (invoice === undefined || invoice.isVoid || creditable === 0n || left <= 0n) {
    return account;
  }
  const { currency } = account.terms;
  const wanted = smaller(total, left);
  let sum = smaller((wanted * creditable + left - 1n) / left, creditable);
  for (;;) {
    const members = { do: "creditNote", invoice: index, amount: formatMinor(sum, currency) };
    const after = doStep(account, { members, atMs });
    const credited = (after.invoices[index]?.credited ?? 0n) - invoice.credited;
    if (credited >= wanted || sum === creditable) {
      return after;
    }
    sum += 1n;
  }
}

/** Credits invoices of a payment until the balance has what is to be refunded, as far as there is something to credit. */
function creditInvoices(
  account: Account,
  { amount, shares, atMs }: { amount: bigint; shares: readonly Share[]; atMs: number },
): Account {
  let current = account;
  let left = amount - smaller(account.balance, amount);
  for (const { invoice, amount: share } of shares) {
    const total = smaller(share, left);
    if (total > 0n) {
      current = creditInvoice(current, { invoice, total, atMs });
      left -= total;
    }
  }
  return current;
}

/**
 * Plans a refund: with credit notes, the invoices of the payment are credited first by what the balance lacks; then the balance gives
 * the money, and what it lacks makes invoices due again, those of the payment before others.
 *
 * @throws {StepRefused} `exceeds_refundable`
 */
export function planRefund(
  account: Account,
  {
    loaded,
    sources,
    ...input
  }: {
    loaded: LoadedAccount;
    sources: RefundSources;
    amount: bigint;
    withCreditNote: boolean;
    atMs: number;
  },
): PlannedRefund {
  const givers = toGivers(loaded, sources);
  const asked = { ...input, ...givers };
  return takeMoneyBack(input.withCreditNote ? creditInvoices(account, asked) : account, asked);
}
