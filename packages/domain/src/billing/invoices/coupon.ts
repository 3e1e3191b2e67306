import { smaller } from "../../money/bounds.ts";
import { SCALE } from "../../money/decimal.ts";
import { divideHalfAway } from "../../money/exact.ts";
import { splitByWeight } from "../../money/split.ts";
import { createLine, isCharge, type Line, lengthOf } from "../rating/line.ts";
import type { Invoice } from "./invoice.ts";

export type Coupon = {
  /** `percent` is scaled by 10^12, `amount` is in minor units. */
  readonly off: { readonly percent: bigint } | { readonly amount: bigint };
  /** How many periods of the plan it holds; undefined for all. */
  readonly periods: number | undefined;
  /** Lowers the lines of these cards only; undefined for the whole invoice. */
  readonly cards: readonly string[] | undefined;
  /** The coupon of the catalogue that was redeemed; undefined in rehearsals. */
  readonly couponId: string | undefined;
};

/** Where an invoice is in the history of its customer. */
export type CouponHistory = {
  readonly invoices: readonly Invoice[];
  readonly periodNumber: number;
};

type Discounted = { lines: Line[]; discounts: Line[] };

function leftOf(line: Line): bigint {
  return isCharge(line) && line.amount > 0n ? line.amount - line.discount : 0n;
}

function takenBy(coupon: number, { lines }: Invoice): bigint {
  return lines.reduce(
    (sum, line) => (line.kind === "discount" && line.coupon === coupon ? sum - line.amount : sum),
    0n,
  );
}

/** A coupon holds from the first period in which it gave something. A void invoice gave nothing. */
export function holds(
  coupon: Coupon,
  index: number,
  { invoices, periodNumber }: CouponHistory,
): boolean {
  const used = invoices.filter((invoice) => !invoice.isVoid && takenBy(index, invoice) > 0n);
  const first = Math.min(periodNumber, ...used.map((invoice) => invoice.periodNumber));
  return coupon.periods === undefined || periodNumber < first + coupon.periods;
}

function percentOf(left: bigint, percent: bigint): bigint {
  return divideHalfAway(left * percent, 100n * SCALE);
}

/** The part of a sum off one card that a line gets. A fee gets its part of the period, usage the sum once for each card. */
function sumOffLine(line: Line, amount: bigint, spent: Map<string, bigint>): bigint {
  if (line.kind === "late") {
    return 0n;
  }
  if (line.kind !== "usage") {
    return line.source?.of === "fee" && line.span !== undefined
      ? divideHalfAway(amount * lengthOf(line.span), lengthOf(line.source.full))
      : 0n;
  }
  const card = `${String(line.owner?.runOrder)} ${line.owner?.card ?? ""}`;
  const before = spent.get(card) ?? 0n;
  const left = leftOf(line);
  const taken = smaller(left, amount - before);
  spent.set(card, before + taken);
  return taken;
}

function lowerCards(lines: readonly Line[], coupon: Coupon, index: number): Discounted {
  const spent = new Map<string, bigint>();
  const discounts: Line[] = [];
  const lowered = lines.map((line) => {
    const card = line.owner?.card;
    const left = leftOf(line);
    if (
      left === 0n ||
      line.kind === "commitment" ||
      card === undefined ||
      coupon.cards?.includes(card) !== true
    ) {
      return line;
    }
    const asked =
      "percent" in coupon.off
        ? percentOf(left, coupon.off.percent)
        : sumOffLine(line, coupon.off.amount, spent);
    const taken = smaller(asked, left);
    if (taken > 0n) {
      discounts.push(toDiscount({ amount: taken, index, owner: line.owner }));
    }
    return { ...line, discount: line.discount + taken };
  });
  return { lines: lowered, discounts };
}

function toDiscount({
  amount,
  index,
  owner,
}: {
  amount: bigint;
  index: number;
  owner?: Line["owner"];
}): Line {
  return createLine({
    kind: "discount",
    owner,
    span: undefined,
    quantity: undefined,
    amount: -amount,
    taxClass: "standard",
    coupon: index,
  });
}

/** Takes a sum off all lines, in proportion to what is left of each. */
export function spreadOff(lines: readonly Line[], amount: bigint): Line[] {
  const shares = splitByWeight(amount, lines.map(leftOf));
  return lines.map((line, index) => ({
    ...line,
    discount: line.discount + (shares[index] ?? 0n),
  }));
}

export function sumLeft(lines: readonly Line[]): bigint {
  return lines.reduce((sum, line) => sum + leftOf(line), 0n);
}

function lowerInvoice(
  lines: readonly Line[],
  { coupon, index, history }: { coupon: Coupon; index: number; history: CouponHistory },
): Discounted {
  const left = sumLeft(lines);
  const given = history.invoices
    .filter((invoice) => !invoice.isVoid && invoice.periodNumber === history.periodNumber)
    .reduce((sum, invoice) => sum + takenBy(index, invoice), 0n);
  const asked =
    "percent" in coupon.off ? percentOf(left, coupon.off.percent) : coupon.off.amount - given;
  const amount = smaller(asked, left);
  return amount <= 0n
    ? { lines: [...lines], discounts: [] }
    : { lines: spreadOff(lines, amount), discounts: [toDiscount({ amount, index })] };
}

/**
 * Applies the coupons that hold: those of cards first, each kind in the order of redemption, each from what the ones before it left.
 *
 * @returns The lines with their discounts, and one line below zero for each thing that was taken off.
 */
export function applyCoupons(
  lines: readonly Line[],
  coupons: readonly Coupon[],
  history: CouponHistory,
): Discounted {
  const held = [...coupons.entries()].filter(([index, coupon]) => holds(coupon, index, history));
  const ofCards = held.filter(([, { cards }]) => cards !== undefined);
  const ofInvoice = held.filter(([, { cards }]) => cards === undefined);
  let result: Discounted = { lines: [...lines], discounts: [] };
  for (const [index, coupon] of [...ofCards, ...ofInvoice]) {
    const next =
      coupon.cards === undefined
        ? lowerInvoice(result.lines, { coupon, index, history })
        : lowerCards(result.lines, coupon, index);
    result = { lines: next.lines, discounts: [...result.discounts, ...next.discounts] };
  }
  return result;
}
