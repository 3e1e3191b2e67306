import { larger, smaller } from "../../money/bounds.ts";
import type { Account } from "../account/account.ts";
import { dueOf, type Invoice, isOpen } from "../invoices/invoice.ts";
import { StepRefused } from "../steps/step.ts";
import { beginCalendar, resumeCalendar } from "./dunning.ts";

/** An amount of one invoice, by its index. Minor units, like all amounts here. */
export type Share = { readonly invoice: number; readonly amount: bigint };

/** What of a payment an invoice gets, and what of it is beyond what is due: that part goes to the balance. */
export type PaidShare = Share & { readonly beyond: bigint };

function changePaid(
  account: Account,
  { invoice: index, amount, beyond = 0n }: Share & { readonly beyond?: bigint },
): Account {
  const pay = (invoice: Invoice): Invoice => ({
    ...invoice,
    paid: invoice.paid + amount,
    toBalance: (invoice.toBalance ?? 0n) + beyond,
  });
  return {
    ...account,
    invoices: account.invoices.map((invoice, place) => (place === index ? pay(invoice) : invoice)),
  };
}

/**
 * Applies money to invoices in the order in which they are named: each takes what is due, and the last one takes the rest, which is
 * balance as far as it is beyond. Without any invoice all of it is balance. Nothing is ever lost.
 *
 * @returns The shares of invoices that got something, and what went to the balance without one.
 */
export function applyMoney(
  account: Account,
  { amount, invoices }: { amount: bigint; invoices: readonly number[] },
): { after: Account; shares: PaidShare[]; toBalance: bigint } {
  const shares: PaidShare[] = [];
  let left = amount;
  for (const [place, index] of invoices.entries()) {
    const invoice = account.invoices[index];
    if (invoice === undefined || left === 0n) {
      continue;
    }
    const due = dueOf(invoice);
    const isLast = place === invoices.length - 1;
    const share = isLast ? left : smaller(due, left);
    if (share > 0n) {
      shares.push({ invoice: index, amount: share, beyond: larger(share - due, 0n) });
      left -= share;
    }
  }
  const paid = shares.reduce(changePaid, account);
  const beyond = shares.reduce((sum, share) => sum + share.beyond, 0n);
  return {
    after: { ...paid, balance: account.balance + beyond + left },
    shares,
    toBalance: left,
  };
}

/** What is taken back for a refund, and from where. */
export type TakenMoney = {
  readonly fromBalance: bigint;
  /** Invoices that had the payment give it back. */
  readonly taken: readonly Share[];
  /** Other invoices return to the balance what they had from it, and the balance gives that. */
  readonly reclaimed: readonly Share[];
};

/** Money that an invoice holds: of payments and of the balance, without what went back to the balance. */
export function heldBy({ paid, fromBalance, toBalance = 0n, isVoid }: Invoice): bigint {
  return larger(paid + (isVoid ? 0n : fromBalance) - toBalance, 0n);
}

function changeToBalance(account: Account, { invoice: index, amount }: Share): Account {
  return {
    ...account,
    invoices: account.invoices.map((invoice, place) =>
      place === index ? { ...invoice, toBalance: (invoice.toBalance ?? 0n) + amount } : invoice,
    ),
  };
}

/** Lets givers give one after the other until nothing is missing. */
function drawOn(givers: readonly Share[], missing: bigint): { given: Share[]; missing: bigint } {
  const given: Share[] = [];
  let left = missing;
  for (const giver of givers) {
    const amount = smaller(giver.amount, left);
    if (amount > 0n) {
      given.push({ invoice: giver.invoice, amount });
      left -= amount;
    }
  }
  return { given, missing: left };
}

/**
 * Takes money back for a refund: from the balance first, then from the invoices that had it, then from those that had money of the
 * balance, which is where the rest of it went. Invoices are due again by what they give. By their own dates: a calendar of attempts from
 * before would charge at once what was just given back.
 *
 * @param input.shares - What invoices have of the payment, in the order in which they give.
 * @param input.others - Further invoices that may give, in that order.
 * @throws {StepRefused} `exceeds_refundable` When all of them together hold less.
 */
export function takeMoneyBack(
  account: Account,
  {
    amount,
    shares,
    others,
  }: { amount: bigint; shares: readonly Share[]; others: readonly number[] },
): TakenMoney & { after: Account } {
  const heldOf = ({ invoices }: Account, index: number) => {
    const invoice = invoices[index];
    return invoice === undefined ? 0n : heldBy(invoice);
  };
  const fromBalance = smaller(account.balance, amount);
  // An invoice may have given its payment to an earlier refund already: it holds less than its share.
  const { given: taken, missing } = drawOn(
    shares.map(({ invoice, amount: share }) => ({
      invoice,
      amount: smaller(share, heldOf(account, invoice)),
    })),
    amount - fromBalance,
  );
  const paidBack = taken.reduce(
    (changed, { invoice, amount: given }) => changePaid(changed, { invoice, amount: -given }),
    { ...account, balance: account.balance - fromBalance },
  );
  const { given: reclaimed, missing: lacking } = drawOn(
    others.map((invoice) => ({ invoice, amount: heldOf(paidBack, invoice) })),
    missing,
  );
  if (lacking > 0n) {
    throw new StepRefused(
      "exceeds_refundable",
      "Refund no more than the balance and the invoices of this customer hold.",
    );
  }
  const after = reclaimed.reduce(changeToBalance, paidBack);
  const isDueAgain = (index: number) =>
    [...taken, ...reclaimed].some(({ invoice }) => invoice === index);
  const calendars = after.calendars.filter(({ invoice }) => !isDueAgain(invoice));
  return { after: { ...after, calendars }, fromBalance, taken, reclaimed };
}

/**
 * Puts back what {@link takeMoneyBack} took, when the refund has failed.
 *
 * @returns Also what of it invoices had no more use for, because they were settled meanwhile: it is on the balance.
 */
export function putMoneyBack(
  account: Account,
  { fromBalance, taken, reclaimed }: TakenMoney,
): { after: Account; returnedToBalance: bigint } {
  let after: Account = { ...account, balance: account.balance + fromBalance };
  let returnedToBalance = 0n;
  for (const share of taken) {
    const applied = applyMoney(after, { amount: share.amount, invoices: [share.invoice] });
    after = applied.after;
    returnedToBalance += applied.shares.reduce((sum, { beyond }) => sum + beyond, 0n);
  }
  for (const { invoice: index, amount } of reclaimed) {
    const invoice = after.invoices[index];
    const due = invoice === undefined ? 0n : dueOf(invoice);
    const again = smaller(due, amount);
    after = changeToBalance(after, { invoice: index, amount: -again });
    after = { ...after, balance: after.balance + amount - again };
    // One that is void has given all it had to the balance before.
    returnedToBalance += invoice?.isVoid === false ? amount - again : 0n;
  }
  return { after, returnedToBalance };
}

/**
 * What a failed payment of an invoice leads to: the first one begins its calendar, a hard decline stops it. One of an invoice that
 * is settled leads to nothing.
 */
export function noteFailedPayment(
  account: Account,
  input: { invoice: number; atMs: number; dueAtMs: number | undefined; isHard: boolean },
): Account {
  const { invoice, isHard } = input;
  const failed = account.invoices[invoice];
  // Credit that is not paid for is not there: nothing is owed, so nothing is dunned.
  if (failed === undefined || !isOpen(failed) || failed.topUp !== undefined) {
    return account;
  }
  const isKnown = account.calendars.some((calendar) => calendar.invoice === invoice);
  return {
    ...account,
    calendars: isKnown
      ? account.calendars.map((calendar) =>
          calendar.invoice === invoice
            ? { ...calendar, isStopped: calendar.isStopped || isHard }
            : calendar,
        )
      : [
          ...account.calendars,
          beginCalendar({ ...input, isStopped: isHard }, account.terms.dunning),
        ],
  };
}

/** Ends the calendar of an invoice: nothing more is attempted of it, and nothing stops because of it. */
export function endCalendar(account: Account, index: number): Account {
  return {
    ...account,
    calendars: account.calendars.filter(({ invoice }) => invoice !== index),
  };
}

/** Lets attempts go on that a hard decline had stopped: there is another method now. Days that have passed are not made up for. */
export function resumeAttempts(account: Account, atMs: number): Account {
  const { dunning } = account.terms;
  return {
    ...account,
    calendars: account.calendars.map((calendar) => resumeCalendar(calendar, dunning, atMs)),
  };
}
