import { type Currency, roundToMinor } from "../../money/currency.ts";
import { parseDecimal } from "../../money/decimal.ts";
import { toExact } from "../../money/exact.ts";
import type { Members } from "../../pricing/read-value.ts";
import { parseInstant } from "../../time/parse-instant.ts";
import type { Account } from "../account/account.ts";
import { PRORATION_MODES, type ProrationMode } from "../subscription/subscription.ts";

/** Why a step cannot be done. */
export type RefusalCode =
  | "no_subscription"
  | "already_subscribed"
  | "paused"
  | "not_paused"
  | "same_plan"
  | "nothing_pending"
  | "unknown_plan"
  | "unknown_card"
  | "unknown_meter"
  | "unknown_invoice"
  | "unknown_step"
  | "payment_required"
  | "not_open"
  | "already_paid"
  | "exceeds_creditable"
  | "exceeds_refundable"
  | "exceeds_refundable"
  | "not_creditable"
  | "no_worst_margin"
  | "bad_value"
  | "out_of_order";

/** A step that was refused: it has changed nothing. `says` tells a person what to do instead. */
export class StepRefused extends Error {
  override readonly name = "StepRefused";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, says: string) {
    super(says);
    this.code = code;
  }
}

/** One step of a story, at its instant. */
export type Step = { readonly members: Members; readonly atMs: number };

/** Does a step. @throws {StepRefused} When it cannot be done. */
export type StepAction = (account: Account, step: Step) => Account;

export function badValue(member: string, says: string): StepRefused {
  return new StepRefused("bad_value", `${member}: ${says}`);
}

/** Reads a decimal, scaled by 10^12. */
export function readQuantity(
  members: Members,
  member: string,
  { allowsZero = false }: { allowsZero?: boolean } = {},
): bigint {
  const parsed = parseDecimal(members[member]);
  if ("fault" in parsed) {
    throw badValue(
      member,
      parsed.fault === "too_precise"
        ? "use at most 12 decimals."
        : 'write it as a decimal in quotes, such as "12.5".',
    );
  }
  if (parsed.scaled < 0n || (parsed.scaled === 0n && !allowsZero)) {
    throw badValue(member, allowsZero ? "use 0 or more." : "use more than 0.");
  }
  return parsed.scaled;
}

/** Reads a sum of money and rounds it to minor units. */
export function readSum(
  members: Members,
  member: string,
  { currency, allowsZero = false }: { currency: Currency; allowsZero?: boolean },
): bigint {
  const sum = roundToMinor(toExact(readQuantity(members, member, { allowsZero })), currency);
  if (sum === 0n && !allowsZero) {
    throw badValue(member, `use at least the smallest amount of ${currency.code}.`);
  }
  return sum;
}

export function readInstant(members: Members, member: string): number | undefined {
  const value = members[member];
  if (value === undefined || value === null) {
    return;
  }
  const parsed = typeof value === "string" ? parseInstant(value) : undefined;
  if (parsed === undefined || "fault" in parsed) {
    throw badValue(member, "write it as a date or an instant, such as 2026-01-31T09:30:00Z.");
  }
  return Date.parse(parsed.instant);
}

/** Reads one of several words. */
export function readWord<Word extends string>(
  members: Members,
  member: string,
  words: readonly Word[],
): Word | undefined {
  const value = members[member];
  if (value === undefined || value === null) {
    return;
  }
  const word = words.find((known) => known === value);
  if (word === undefined) {
    throw badValue(member, `use one of ${words.join(", ")}.`);
  }
  return word;
}

export function readMode(account: Account, members: Members): ProrationMode {
  return readWord(members, "proration", PRORATION_MODES) ?? account.terms.proration;
}

export function readKey(members: Members): string | undefined {
  const { key } = members;
  if (key === undefined || key === null) {
    return;
  }
  if (typeof key !== "string") {
    throw badValue("key", "give it as a text.");
  }
  return key;
}
