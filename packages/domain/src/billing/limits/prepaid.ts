import { larger, smaller } from "../../money/bounds.ts";
import { largestWhole } from "../../pricing/envelope.ts";
import { type Account, isRunning, type RunningAccount } from "../account/account.ts";
import { hasPrices } from "../catalog/billing-plan.ts";
import { type Grant, isExpired, isUsable, nextExpiryMs } from "../invoices/grant.ts";
import type { Line, Span } from "../rating/line.ts";
import { listRuns } from "../subscription/subscription.ts";
import { highestRates } from "../tax/highest-rates.ts";
import { listTaxKinds, toKindKey } from "../tax/tax-lines.ts";
import { taxOf } from "../tax/tax-totals.ts";
import { currentCharge, type Spend } from "./spend.ts";
import { spendOf } from "./spend-of.ts";

/** True while usage of an account draws on its credit. */
export function isPrepaid(account: Account): account is RunningAccount {
  const { subscription } = account;
  return subscription?.state === "running" && subscription.run.plan.isPrepaid === true;
}

/** True for an account whose usage is paid for afterwards. */
function isPostpaid(account: Account): boolean {
  return (
    isRunning(account) && hasPrices(account.subscription.run.inForce.phase) && !isPrepaid(account)
  );
}

/**
 * Notes on an account that came to a prepaid plan from one that is paid afterwards which usage nothing has held back.
 *
 * @param input.untilMs - By then every process looks at credit.
 */
export function chargeUnasked(
  after: Account,
  { before, untilMs }: { before: Account; untilMs: number },
): Account {
  return isPostpaid(before) && isPrepaid(after) ? { ...after, creditFromMs: untilMs } : after;
}

/** What credit pays for on a prepaid plan. Fees are paid like those of any plan. */
export function isUsage({ kind }: Pick<Line, "kind">): boolean {
  return kind === "usage" || kind === "late";
}

function listMetered(account: RunningAccount) {
  return listRuns(account.subscription)
    .flatMap(({ stretches }) => stretches)
    .filter(({ card }) => card.meterId !== undefined);
}

/** Spans of usage that waits for an invoice and has drawn on credit, also where the plan is another one by now. */
function listWaitingDraws(account: Account): Span[] {
  const draws = isPrepaid(account);
  return account.waiting.flatMap((line) =>
    line.span !== undefined && isUsage(line) && (draws || line.owner?.isPrepaid === true)
      ? [line.span]
      : [],
  );
}

/**
 * Since when usage that is not invoiced yet has drawn on credit: what expires after it still pays for that usage.
 *
 * @returns `atMs` where nothing draws.
 */
export function drawsSinceMs(account: Account, atMs: number): number {
  const running = isPrepaid(account) ? listMetered(account) : [];
  const spans: readonly Span[] = [...running, ...listWaitingDraws(account)];
  return Math.min(atMs, ...spans.map(({ fromMs }) => fromMs));
}

/**
 * When credit next changes by itself: some expires, or on a prepaid plan takes effect. What expires there stays until its period ends,
 * and anywhere until usage that waits and has drawn on it is invoiced.
 *
 * @returns `undefined` when nothing does.
 */
export function nextCreditMs(account: Account, atMs: number): number | undefined {
  const { grants } = account.credit;
  if (!isPrepaid(account) || listMetered(account).length === 0) {
    const sinceMs = drawsSinceMs(account, atMs);
    // What has expired but pays for usage that waits stays until that is invoiced.
    return nextExpiryMs(
      grants.filter((grant) => isExpired(grant, sinceMs) || !isExpired(grant, atMs)),
    );
  }
  const starts = grants.flatMap(({ left, effectiveAtMs }) =>
    left > 0n && effectiveAtMs > atMs ? [effectiveAtMs] : [],
  );
  return starts.length === 0 ? undefined : Math.min(...starts);
}

export function sumUsage(lines: readonly Line[]): bigint {
  return lines.filter(isUsage).reduce((sum, { amount }) => sum + amount, 0n);
}

/** What usage that is not invoiced has drawn, as a spend: what waits, and the cards that run. Late usage and minimums are left out. */
export function runningDraw(account: RunningAccount): Spend {
  const { currency, cards } = spendOf(account);
  return {
    currency,
    fees: sumUsage(account.waiting),
    cards: cards.map((card) => ({ ...card, least: 0n })),
  };
}

/** The taxes that usage may get: several of them where classes differ, or rates change on the way. */
type UsageTaxes = {
  readonly isGross: boolean;
  /** Rates of the taxes of each part, scaled, at one instant; undefined where the table has none, for this country or any. */
  readonly rates: readonly (readonly bigint[] | undefined)[];
  /** How many rows of tax an invoice may have. */
  readonly rows: number;
};

function usageTaxesOf(account: Account): UsageTaxes {
  const { terms, customer, waiting, subscription } = account;
  const { seller } = terms;
  if (seller === undefined) {
    return { isGross: false, rates: [], rows: 0 };
  }
  const parts: { taxClass: string; span: Span }[] = [
    ...(subscription === undefined
      ? []
      : listMetered({ ...account, subscription }).map((stretch) => ({
          taxClass: stretch.card.taxClass,
          span: stretch,
        }))),
    ...waiting.filter(isUsage).flatMap(({ taxClass, span }) => (span ? [{ taxClass, span }] : [])),
    ...account.late.flatMap(({ closed }) => {
      const stretch = account.closed[closed];
      return stretch === undefined ? [] : [{ taxClass: stretch.card.taxClass, span: stretch }];
    }),
  ];
  const kinds = parts.flatMap(({ taxClass, span }) =>
    listTaxKinds(taxClass, { seller, customer, span }),
  );
  const byKey = new Map(kinds.map((set) => [set.map(toKindKey).join(), set]));
  return {
    isGross: seller.pricesInclude === "gross",
    // Nothing is invoiced before the operator has added a rate that is missing. What calls draw until then must pay for it.
    rates: [...byKey.values()].map((set) =>
      set.length === 0 ? highestRates(seller.taxRates) : set.map(({ rate }) => rate),
    ),
    rows: new Set([...byKey.values()].flat().map(toKindKey)).size,
  };
}

/**
 * The most that charges come to with their tax. Exact where all usage has the same taxes, and the table has them.
 *
 * @returns `undefined` where no table says: it may be any sum.
 */
function mostWithTax(charges: bigint, { isGross, rates, rows }: UsageTaxes): bigint | undefined {
  if (isGross || rates.length === 0 || charges === 0n) {
    return charges;
  }
  const known = rates.filter((set) => set !== undefined);
  if (known.length < rates.length) {
    return;
  }
  const taxes = known.map((set) => set.reduce((sum, rate) => sum + taxOf(charges, rate), 0n));
  // Each row is rounded for itself, so several may come to a minor unit more each.
  return charges + taxes.reduce(larger) + (rates.length === 1 ? 0n : BigInt(rows));
}

/** What is left of usable grants of a kind. */
function sumUsable(
  grants: readonly Grant[],
  { kind, ...at }: { kind: Grant["kind"]; atMs: number; sinceMs: number },
): bigint {
  return grants
    .filter((grant) => grant.kind === kind && isUsable(grant, at))
    .reduce((sum, { left }) => sum + left, 0n);
}

type UsableCredit = { readonly promotional: bigint; readonly prepaid: bigint };

function usableCredit(account: Account, atMs: number): UsableCredit {
  const { grants } = account.credit;
  const at = { atMs, sinceMs: drawsSinceMs(account, atMs) };
  return {
    promotional: sumUsable(grants, { ...at, kind: "promotional" }),
    prepaid: sumUsable(grants, { ...at, kind: "prepaid" }),
  };
}

/**
 * The highest sum of charges for usage, before its tax, that credit pays for in full. Coupons are left out: what they save stays in the
 * credit.
 *
 * @param atMs - Credit that takes effect later does not count.
 */
export function payableByCredit(account: Account, atMs: number): bigint {
  const { promotional, prepaid } = usableCredit(account, atMs);
  const taxes = usageTaxesOf(account);
  return largestWhole(promotional + prepaid, (charges) => {
    const taxed = mostWithTax(larger(charges - promotional, 0n), taxes);
    return taxed !== undefined && taxed <= prepaid;
  });
}

/** What credit leaves for late usage of a prepaid plan: usage that runs, and lines that are about to be invoiced, go before. */
export function limitLate(
  account: Account,
  amount: bigint,
  { atMs, fresh }: { atMs: number; fresh: readonly Line[] },
): bigint {
  const drawn = isPrepaid(account) ? currentCharge(runningDraw(account)) : 0n;
  const left = payableByCredit(account, atMs) - drawn - sumUsage(fresh);
  return smaller(amount, larger(left, 0n));
}

/**
 * What is left of credit when usage that is not invoiced has drawn on it, with its tax.
 *
 * @param charges - What that usage comes to before its tax, see `drawOf`.
 */
export function creditAfter(
  account: Account,
  charges: bigint,
  atMs: number,
): { left: bigint; drawn: bigint } {
  const { promotional, prepaid } = usableCredit(account, atMs);
  const beyond = larger(charges - promotional, 0n);
  const taxed = mostWithTax(beyond, usageTaxesOf(account)) ?? beyond;
  const drawn = smaller(charges, promotional) + taxed;
  return { drawn, left: larger(promotional + prepaid - drawn, 0n) };
}
