import { roundToMinor } from "../../money/currency.ts";
import { DECIMAL_DIGITS, SCALE } from "../../money/decimal.ts";
import {
  addExact,
  compareExact,
  type Exact,
  minExact,
  timesShare,
  ZERO,
} from "../../money/exact.ts";
import { costOf } from "../../pricing/cost.ts";
import type { PeriodUnit } from "../../time/period.ts";
import { type Account, isRunning, type RunningAccount } from "../account/account.ts";
import { isPriced, type PricedCard } from "../catalog/billing-plan.ts";
import { type Coupon, holds } from "../invoices/coupon.ts";
import { forInterval, planInterval } from "../subscription/plan-interval.ts";
import { listRuns, type Run, seatsOf } from "../subscription/subscription.ts";
import { taxKindsAt } from "../tax/tax-lines.ts";

const MONTH: PeriodUnit = "month";
const WHOLE = 100n * SCALE;

/** A fee of the phase in force, for a month, in the terms of its price: net, or gross with gross prices. */
type Fee = { readonly card: PricedCard; readonly perMonth: Exact };

function subtract(a: Exact, b: Exact): Exact {
  return addExact(a, { ...b, numerator: -b.numerator });
}

function listFees(run: Run): Fee[] {
  return run.inForce.phase.cards.filter(isPriced).flatMap((card) => {
    const seats = seatsOf(run, card.key, card.quantity);
    return card.meterId !== undefined || seats === 0n
      ? []
      : [{ card, perMonth: forInterval(costOf(card.price, seats), card.interval, MONTH) }];
  });
}

function sumOf(fees: readonly Fee[]): Exact {
  return fees.reduce((sum, { perMonth }) => addExact(sum, perMonth), ZERO);
}

/** Coupons that hold now, and for more than one period: what is given once is no change of what recurs. */
function listRecurringCoupons({ coupons, invoices, periods }: Account): Coupon[] {
  const history = { invoices, periodNumber: periods };
  const held = coupons.filter(
    (coupon, index) => coupon.periods !== 1 && holds(coupon, index, history),
  );
  // In the order in which an invoice takes them.
  return [
    ...held.filter(({ cards }) => cards !== undefined),
    ...held.filter(({ cards }) => cards === undefined),
  ];
}

function takePercent(amount: Exact, percent: bigint): Exact {
  return timesShare(amount, WHOLE - percent, WHOLE);
}

function lowerCards(fees: readonly Fee[], { off, cards }: Coupon, minorPicos: bigint): Fee[] {
  return fees.map((fee) => {
    const { card, perMonth } = fee;
    if (cards?.includes(card.key) !== true) {
      return fee;
    }
    if ("percent" in off) {
      return { card, perMonth: takePercent(perMonth, off.percent) };
    }
    const given = { numerator: off.amount * minorPicos, denominator: 1n };
    const taken = minExact(perMonth, forInterval(given, card.interval, MONTH));
    return { card, perMonth: subtract(perMonth, taken) };
  });
}

/** A sum off the whole invoice lowers fees in proportion, and never below zero. */
function lowerAll(
  fees: readonly Fee[],
  { off }: Coupon,
  { minorPicos, interval }: { minorPicos: bigint; interval: PeriodUnit },
): Fee[] {
  if ("percent" in off) {
    return fees.map(({ card, perMonth }) => ({
      card,
      perMonth: takePercent(perMonth, off.percent),
    }));
  }
  const sum = sumOf(fees);
  if (sum.numerator === 0n) {
    return [...fees];
  }
  const given = { numerator: off.amount * minorPicos, denominator: 1n };
  const taken = minExact(sum, forInterval(given, interval, MONTH));
  const left = subtract(sum, taken);
  return fees.map(({ card, perMonth }) => ({
    card,
    perMonth: timesShare(
      perMonth,
      left.numerator * sum.denominator,
      left.denominator * sum.numerator,
    ),
  }));
}

function withoutTax(
  { card, perMonth }: Fee,
  { terms: { seller }, customer }: Account,
  atMs: number,
): Exact {
  if (seller?.pricesInclude !== "gross") {
    return perMonth;
  }
  const rates = taxKindsAt(card.taxClass, { seller, customer, atMs });
  return timesShare(perMonth, WHOLE, WHOLE + rates.reduce((sum, { rate }) => sum + rate, 0n));
}

function sumFees(account: RunningAccount, atMs: number): Exact {
  const { subscription, terms } = account;
  const minorPicos = 10n ** BigInt(DECIMAL_DIGITS - terms.currency.digits);
  const interval = planInterval(subscription.run.inForce.phase);
  const lowered = listRecurringCoupons(account).reduce(
    (fees, coupon) =>
      coupon.cards === undefined
        ? lowerAll(fees, coupon, { minorPicos, interval })
        : lowerCards(fees, coupon, minorPicos),
    listRuns(subscription).flatMap(listFees),
  );
  return lowered.reduce((sum, fee) => addExact(sum, withoutTax(fee, account, atMs)), ZERO);
}

/**
 * What a subscription brings in a month (MRR), in minor units: the fees of the phase in force, with seats and add-ons, each normalised
 * to a month, less coupons that hold for more than one period, before tax. Usage, minimums and one-off lines do not recur. Rounded
 * once for each customer, so that a sum over customers is the sum of what is shown.
 *
 * @param atMs - Whose rates take tax out of prices that include it.
 * @returns 0 for a trial, a free plan, and a subscription that is paused or has ended.
 */
export function monthlyRecurringOf(account: Account, atMs: number): bigint {
  if (!isRunning(account)) {
    return 0n;
  }
  const sum = sumFees(account, atMs);
  return compareExact(sum, ZERO) <= 0 ? 0n : roundToMinor(sum, account.terms.currency);
}
