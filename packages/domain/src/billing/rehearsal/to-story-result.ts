import { type Currency, formatMinor } from "../../money/currency.ts";
import { DECIMAL_DIGITS, fromScaled, toDecimalText } from "../../money/decimal.ts";
import type { TierPart } from "../../pricing/cost.ts";
import type { Account } from "../account/account.ts";
import type { CreditNote } from "../credit-notes/credit-note.ts";
import { isExpired } from "../invoices/grant.ts";
import { dueOf, type Invoice, statusOf, type TaxRow } from "../invoices/invoice.ts";
import type { Line, LineOwner } from "../rating/line.ts";

export type Refusal = {
  /** Index of the step, or `catalog` for a story that was not played. */
  readonly step: number | "catalog";
  readonly code: string;
  /** One sentence for a person that says what to do instead. */
  readonly says: string;
};

export type StoryLine = {
  readonly kind: string;
  readonly card?: string;
  readonly coupon?: number;
  readonly from?: string;
  readonly to?: string;
  readonly quantity?: string;
  readonly amount: string;
  readonly discount?: string;
  readonly tiers?: readonly StoryTier[];
};

type StoryTier = {
  readonly upTo: string | null;
  readonly quantity: string;
  readonly amount: string;
};

type StoryTax = {
  readonly category: string;
  readonly rate: string;
  readonly name?: string;
  readonly base: string;
  readonly amount: string;
};

export type StoryInvoice = {
  readonly number: string;
  readonly status: string;
  readonly issuedAt: string;
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly lines: readonly StoryLine[];
  readonly net: string;
  readonly taxes: readonly StoryTax[];
  readonly total: string;
  readonly fromBalance: string;
  readonly prepaid: string;
  readonly paid: string;
  readonly credited: string;
  readonly due: string;
};

export type StoryCreditNote = {
  readonly number: string;
  readonly invoice: number;
  readonly issuedAt: string;
  readonly lines: readonly {
    readonly line: number;
    readonly kind: string;
    readonly card?: string;
    readonly amount: string;
  }[];
  readonly net: string;
  readonly taxes: readonly StoryTax[];
  readonly total: string;
  readonly toDue: string;
  readonly toBalance: string;
};

/** What a story comes to. Money is text with exactly the currency's decimals. */
export type PlayedStory = {
  readonly id: string;
  readonly invoices: readonly StoryInvoice[];
  readonly creditNotes: readonly StoryCreditNote[];
  readonly credits: readonly {
    readonly kind: string;
    readonly granted: string;
    readonly balance: string;
  }[];
  readonly balance: string;
  readonly life: readonly { readonly at: string; readonly state: string; readonly plan: string }[];
  readonly access: readonly { readonly at: string; readonly state: string }[];
  readonly attempts: readonly {
    readonly invoice: number;
    readonly at: string;
    readonly amount: string;
  }[];
  readonly refused: readonly Refusal[];
};

/** A story that cannot be played has refusals only. */
export type StoryResult =
  | PlayedStory
  | { readonly id: string; readonly refused: readonly Refusal[] };

/** Unit amounts times quantities have twice as many digits as either. */
const PRODUCT_DIGITS = 2 * DECIMAL_DIGITS;

function toInstant(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

function cardOf(owner: LineOwner | undefined): { card?: string } {
  return owner?.card === undefined ? {} : { card: owner.card };
}

function toStoryTier({ upTo, quantity, amount }: TierPart): StoryTier {
  return {
    upTo: upTo === null ? null : fromScaled(upTo),
    quantity: fromScaled(quantity),
    amount: toDecimalText(amount.numerator, PRODUCT_DIGITS),
  };
}

function toStoryLine(line: Line, currency: Currency): StoryLine {
  const { kind, owner, span, quantity, amount, discount, coupon, tiers } = line;
  const isReduction = kind === "discount" || kind === "promotional";
  return {
    kind,
    ...cardOf(owner),
    ...(coupon === undefined ? {} : { coupon }),
    ...(span === undefined ? {} : { from: toInstant(span.fromMs), to: toInstant(span.toMs) }),
    ...(quantity === undefined ? {} : { quantity: fromScaled(quantity) }),
    amount: formatMinor(amount, currency),
    ...(isReduction ? {} : { discount: formatMinor(discount, currency) }),
    ...(kind === "usage" ? { tiers: tiers.map(toStoryTier) } : {}),
  };
}

function toStoryTax({ category, rate, name, base, amount }: TaxRow, currency: Currency): StoryTax {
  return {
    category,
    rate: fromScaled(rate),
    ...(name === undefined ? {} : { name }),
    base: formatMinor(base, currency),
    amount: formatMinor(amount, currency),
  };
}

function toStoryInvoice(invoice: Invoice, currency: Currency): StoryInvoice {
  const spans = invoice.lines.flatMap(({ span }) => span ?? []);
  const money = (minor: bigint) => formatMinor(minor, currency);
  return {
    number: invoice.number,
    status: statusOf(invoice),
    issuedAt: toInstant(invoice.issuedAtMs),
    from: toInstant(Math.min(...spans.map(({ fromMs }) => fromMs))),
    to: toInstant(Math.max(...spans.map(({ toMs }) => toMs))),
    currency: currency.code,
    lines: invoice.lines.map((line) => toStoryLine(line, currency)),
    net: money(invoice.net),
    taxes: invoice.taxes.map((tax) => toStoryTax(tax, currency)),
    total: money(invoice.total),
    fromBalance: money(invoice.fromBalance),
    prepaid: money(invoice.prepaid),
    paid: money(invoice.paid),
    credited: money(invoice.credited),
    due: money(dueOf(invoice)),
  };
}

function toStoryCreditNote(note: CreditNote, currency: Currency): StoryCreditNote {
  const money = (minor: bigint) => formatMinor(minor, currency);
  return {
    number: note.number,
    invoice: note.invoice,
    issuedAt: toInstant(note.issuedAtMs),
    lines: note.lines.map(({ line, kind, owner, amount }) => ({
      line,
      kind,
      ...cardOf(owner),
      amount: money(amount),
    })),
    net: money(note.net),
    taxes: note.taxes.map((tax) => toStoryTax(tax, currency)),
    total: money(note.total),
    toDue: money(note.toDue),
    toBalance: money(note.toBalance),
  };
}

/** Writes an account as the result of a story. @param input.atMs - When time stops. */
export function toStoryResult(
  id: string,
  { account, atMs, refused }: { account: Account; atMs: number; refused: readonly Refusal[] },
): PlayedStory {
  const { currency } = account.terms;
  const money = (minor: bigint) => formatMinor(minor, currency);
  return {
    id,
    invoices: account.invoices.map((invoice) => toStoryInvoice(invoice, currency)),
    creditNotes: account.creditNotes.map((note) => toStoryCreditNote(note, currency)),
    credits: account.credit.grants.map((grant) => ({
      kind: grant.kind,
      granted: money(grant.granted),
      balance: money(isExpired(grant, atMs) ? 0n : grant.left),
    })),
    balance: money(account.balance),
    life: account.life.map(({ atMs: at, state, planId }) => ({
      at: toInstant(at),
      state,
      plan: planId,
    })),
    access: account.access.map(({ atMs: at, state }) => ({ at: toInstant(at), state })),
    attempts: account.attempts.map(({ invoice, atMs: at, amount }) => ({
      invoice,
      at: toInstant(at),
      amount: money(amount),
    })),
    refused,
  };
}
