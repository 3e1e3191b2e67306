import { SCALE } from "../../money/decimal.ts";
import type { Account } from "../account/account.ts";
import type { Coupon } from "../invoices/coupon.ts";
import { addGrant, GRANT_KINDS } from "../invoices/grant.ts";
import { TAX_ID_STATUSES } from "../tax/tax-decision.ts";
import {
  badValue,
  readInstant,
  readKey,
  readQuantity,
  readSum,
  readWord,
  type Step,
  type StepAction,
  StepRefused,
} from "./step.ts";

function readOff(account: Account, { members }: Step): Coupon["off"] {
  const hasPercent = members["percent"] !== undefined;
  if (hasPercent === (members["amount"] !== undefined)) {
    throw badValue("percent", "a coupon has either a percent or an amount.");
  }
  if (!hasPercent) {
    return { amount: readSum(members, "amount", { currency: account.terms.currency }) };
  }
  const percent = readQuantity(members, "percent");
  if (percent > 100n * SCALE) {
    throw badValue("percent", "use at most 100.");
  }
  return { percent };
}

function readCards(account: Account, value: unknown): string[] | undefined {
  if (value === undefined || value === null) {
    return;
  }
  if (!Array.isArray(value) || value.length === 0) {
    throw badValue("cards", "list at least one card, or leave it out for the whole invoice.");
  }
  const known = new Set(
    [...account.terms.catalog.plans.values()].flatMap(({ phases }) =>
      phases.flatMap(({ cards }) => cards.map(({ key }) => key)),
    ),
  );
  return value.map((card) => {
    if (typeof card !== "string" || !known.has(card)) {
      throw new StepRefused(
        "unknown_card",
        `There is no card ${String(card)}: name cards of the catalogue.`,
      );
    }
    return card;
  });
}

function readPeriods(value: unknown): number | undefined {
  if (value === undefined || value === null) {
    return;
  }
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1) {
    throw badValue("periods", "use a whole number from 1, or leave it out for all periods.");
  }
  return value;
}

export const couponStep: StepAction = (account, step) => {
  const { members } = step;
  const cards = readCards(account, members["cards"]);
  const off = readOff(account, step);
  const coupon = { off, periods: readPeriods(members["periods"]), cards, couponId: undefined };
  return { ...account, coupons: [...account.coupons, coupon] };
};

function readPriority(value: unknown): number {
  if (value === undefined || value === null) {
    return 50;
  }
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw badValue("priority", "use a number; lower goes first.");
  }
  return value;
}

export const grantStep: StepAction = (account, { members, atMs }) => {
  const key = readKey(members);
  if (key !== undefined && account.grantKeys.has(key)) {
    return account;
  }
  const kind = readWord(members, "kind", GRANT_KINDS);
  if (kind === undefined) {
    throw badValue("kind", `use one of ${GRANT_KINDS.join(", ")}.`);
  }
  const granted = readSum(members, "amount", { currency: account.terms.currency });
  const grant = {
    kind,
    granted,
    priority: readPriority(members["priority"]),
    effectiveAtMs: readInstant(members, "effectiveAt") ?? atMs,
    expiresAtMs: readInstant(members, "expiresAt"),
    topUp: undefined,
  };
  const grantKeys = key === undefined ? account.grantKeys : new Set([...account.grantKeys, key]);
  return { ...account, credit: addGrant(account.credit, grant, { atMs }), grantKeys };
};

/** A check that cannot be made leaves a confirmed id as it is; any other id waits. */
export const taxIdStep: StepAction = (account, { members }) => {
  const { value } = members;
  if (typeof value !== "string" || value === "") {
    throw badValue("value", "give the tax id.");
  }
  const status = readWord(members, "status", [...TAX_ID_STATUSES, "unreachable"] as const);
  if (status === undefined) {
    throw badValue("status", "use one of confirmed, pending, invalid, unreachable.");
  }
  const { customer } = account;
  const isKnown = customer.taxId === value && customer.taxIdStatus === "confirmed";
  if (status === "unreachable") {
    return isKnown
      ? account
      : { ...account, customer: { ...customer, taxId: value, taxIdStatus: "pending" } };
  }
  return { ...account, customer: { ...customer, taxId: value, taxIdStatus: status } };
};
