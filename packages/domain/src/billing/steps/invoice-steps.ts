import { larger } from "../../money/bounds.ts";
import { splitByWeight } from "../../money/split.ts";
import { isMembers, type Members } from "../../pricing/read-value.ts";
import type { Account } from "../account/account.ts";
import { issueCreditNotes } from "../account/issue-credit-notes.ts";
import { moveCredit, toEntries } from "../invoices/grant.ts";
import { dueOf, type Invoice, isOpen } from "../invoices/invoice.ts";
import { beginCalendar, isHardDecline } from "../payments/dunning.ts";
import { heldBy } from "../payments/move-money.ts";
import { creditableOf } from "../rating/line.ts";
import { findPayable, requireInvoice } from "./require.ts";
import { badValue, readKey, readSum, type StepAction, StepRefused } from "./step.ts";

function replaceInvoice(account: Account, index: number, invoice: Invoice): Account {
  return {
    ...account,
    invoices: account.invoices.map((old, place) => (place === index ? invoice : old)),
  };
}

export const payStep: StepAction = (account, { members }) => {
  const key = readKey(members);
  if (key !== undefined && account.paymentKeys.has(key)) {
    return account;
  }
  const found = findPayable(account, members);
  const asked = readOptionalSum(account, members);
  const due = found === undefined ? 0n : dueOf(found.invoice);
  const amount = asked ?? due;
  if (found === undefined || amount === 0n) {
    throw new StepRefused(
      "not_open",
      found === undefined
        ? "No invoice is open: name the invoice that is paid."
        : `Nothing is due on ${found.invoice.number}: name an amount to pay more.`,
    );
  }
  const { index, invoice } = found;
  const beyond = larger(amount - due, 0n);
  const paid = replaceInvoice(account, index, {
    ...invoice,
    paid: invoice.paid + amount,
    toBalance: (invoice.toBalance ?? 0n) + beyond,
  });
  return {
    ...paid,
    balance: account.balance + beyond,
    paymentKeys: key === undefined ? account.paymentKeys : new Set([...account.paymentKeys, key]),
  };
};

export const paymentFailsStep: StepAction = (account, { members, atMs }) => {
  const found = findPayable(account, members);
  const { reason } = members;
  if (reason !== undefined && reason !== null && typeof reason !== "string") {
    throw badValue("reason", "give it as a text.");
  }
  if (found === undefined || !isOpen(found.invoice)) {
    throw new StepRefused("not_open", "Nothing is due, so no payment can fail.");
  }
  const { index } = found;
  const isStopped = isHardDecline(typeof reason === "string" ? reason : undefined);
  const isKnown = account.calendars.some((calendar) => calendar.invoice === index);
  const calendars = isKnown
    ? account.calendars.map((calendar) =>
        calendar.invoice === index
          ? { ...calendar, isStopped: calendar.isStopped || isStopped }
          : calendar,
      )
    : [
        ...account.calendars,
        beginCalendar(
          { invoice: index, atMs, dueAtMs: undefined, isStopped },
          account.terms.dunning,
        ),
      ];
  return { ...account, calendars };
};

export const voidStep: StepAction = (account, { members, atMs }) => {
  const { index, invoice } = requireInvoice(account, members);
  if (invoice.isVoid) {
    throw new StepRefused("not_open", `${invoice.number} is void already.`);
  }
  if (invoice.paid > 0n || invoice.credited > 0n) {
    throw new StepRefused(
      "already_paid",
      `Something of ${invoice.number} was paid or credited: issue a credit note for the rest.`,
    );
  }
  return {
    ...replaceInvoice(account, index, { ...invoice, toBalance: 0n, isVoid: true }),
    // What a refund has reclaimed of it went back to the balance then.
    balance: account.balance + heldBy(invoice),
    credit: moveCredit(
      account.credit,
      toEntries(invoice.burns, { kind: "returned", atMs, invoice: index }),
    ),
  };
};

/** What a credit note asks for: sums of lines (undefined for all that is left of one), one sum, or all that is left. */
type Asked =
  | {
      readonly of: "lines";
      readonly lines: readonly { line: number; amount: bigint | undefined }[];
    }
  | { readonly of: "sum"; readonly amount: bigint }
  | { readonly of: "rest" };

function readAskedLine(account: Account, invoice: Invoice, value: unknown) {
  const members = isMembers(value) ? value : {};
  const line = members["line"];
  if (typeof line !== "number" || invoice.lines[line] === undefined) {
    throw badValue(
      "lines",
      `${invoice.number} has ${String(invoice.lines.length)} lines, counted from 0.`,
    );
  }
  return { line, amount: readOptionalSum(account, members) };
}

function readOptionalSum(account: Account, members: Members): bigint | undefined {
  return members["amount"] === undefined || members["amount"] === null
    ? undefined
    : readSum(members, "amount", { currency: account.terms.currency });
}

function readAsked(account: Account, invoice: Invoice, members: Members): Asked {
  const { lines } = members;
  if (Array.isArray(lines)) {
    return { of: "lines", lines: lines.map((value) => readAskedLine(account, invoice, value)) };
  }
  if (lines !== undefined && lines !== null) {
    throw badValue("lines", "list lines and amounts.");
  }
  const amount = readOptionalSum(account, members);
  return amount === undefined ? { of: "rest" } : { of: "sum", amount };
}

/** The amounts to credit of each line, by its index. */
function toAmounts(asked: Asked, left: readonly bigint[]): bigint[] {
  switch (asked.of) {
    case "rest":
      return [...left];
    case "sum":
      return splitByWeight(asked.amount, left);
    case "lines":
      return left.map((rest, place) =>
        asked.lines.reduce(
          (sum, { line, amount }) => (line === place ? sum + (amount ?? rest) : sum),
          0n,
        ),
      );
  }
}

/** What was bought and spent cannot be taken back. */
function assertTopUpIsLeft(
  { credit }: Account,
  { invoice, amounts }: { invoice: Invoice; amounts: readonly bigint[] },
): void {
  const grants = credit.grants.filter(
    ({ topUp }) => topUp !== undefined && topUp === invoice.topUp,
  );
  const left = grants.reduce((sum, grant) => sum + grant.left, 0n);
  const asked = amounts.reduce((sum, amount) => sum + amount, 0n);
  if (grants.length > 0 && asked > left) {
    throw new StepRefused(
      "exceeds_creditable",
      `Credit no more than is left of what ${invoice.number} bought: the rest was used or has expired.`,
    );
  }
}

export const creditNoteStep: StepAction = (account, { members, atMs }) => {
  const { index, invoice } = requireInvoice(account, members);
  const asked = readAsked(account, invoice, members);
  if (invoice.isVoid) {
    throw new StepRefused(
      "not_creditable",
      `${invoice.number} is void: there is nothing to credit.`,
    );
  }
  const left = invoice.lines.map(creditableOf);
  const amounts = toAmounts(asked, left);
  const isBeyond = asked.of === "sum" && asked.amount > left.reduce((sum, rest) => sum + rest, 0n);
  if (isBeyond || amounts.some((amount, line) => amount > (left[line] ?? 0n))) {
    throw new StepRefused(
      "exceeds_creditable",
      `Credit no more than is left of ${invoice.number}, or leave the amount out for all of it.`,
    );
  }
  assertTopUpIsLeft(account, { invoice, amounts });
  const credits = amounts.map((amount, line) => ({ invoice: index, line, amount }));
  return issueCreditNotes(account, credits, atMs);
};
