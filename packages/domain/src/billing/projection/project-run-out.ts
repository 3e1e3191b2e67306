import { BAND_PARTS, type BandPart } from "../../forecast/forecast-totals.ts";
import type { RunOut } from "../../forecast/run-out.ts";
import { type Account, isRunning, type RunningAccount } from "../account/account.ts";
import { isExpired } from "../invoices/grant.ts";
import { dueOf } from "../invoices/invoice.ts";
import { endSubscription } from "../lifecycle/end-subscription.ts";
import { passTime } from "../lifecycle/pass-time.ts";
import type { Usage } from "../lifecycle/record-usage.ts";
import { nextBoundaryMs } from "../lifecycle/turn-period.ts";
import { drawOf } from "../limits/draw-of.ts";
import { isPrepaid, payableByCredit } from "../limits/prepaid.ts";
import { currentCharge, highestSpend } from "../limits/spend.ts";
import { spendOf } from "../limits/spend-of.ts";
import { unitsWithinCap } from "../limits/spend-room.ts";
import { bringToNow, type ProjectedAccount } from "./project-invoices.ts";
import { createUsagePath, type MeterOutlook } from "./usage-path.ts";

/** What was used of something, and when it is used up. Minor units. */
export type MoneyRunOut = {
  readonly limit: bigint;
  readonly used: bigint;
  readonly left: bigint;
  /** When it begins anew; undefined for credit. */
  readonly resetsAtMs: number | undefined;
  readonly isExhausted: boolean;
  readonly runOut: RunOut;
};

type Outlook = { readonly meters: readonly MeterOutlook[]; readonly toMs: number };

const HOUR_MS = 60 * 60_000;

type Looking = Outlook & {
  readonly nowMs: number;
  readonly isUsedUp: (account: Account, atMs: number) => boolean;
};

/**
 * Lets an account live along one edge of the forecast until something is used up. The sums of the edge begin anew with each period, as
 * those of invoices do.
 *
 * @param instants - When it is looked, ascending.
 */
function findFirst(
  account: Account,
  { nowMs, meters, isUsedUp }: Looking,
  { part, instants }: { part: BandPart; instants: readonly number[] },
): number | undefined {
  let current = account;
  let reachedMs = nowMs;
  let path = createUsagePath(meters, part, nowMs);
  const passTo = (atMs: number, usages: readonly Usage[]) => {
    const passed = passTime(current, { fromMs: reachedMs, toMs: atMs, usages });
    current = { ...passed, calendars: [] };
    reachedMs = atMs;
    return isUsedUp(current, atMs);
  };
  for (const instantMs of instants) {
    const boundaryMs = nextBoundaryMs(current);
    if (boundaryMs !== undefined && boundaryMs <= instantMs) {
      // The last moment of a period, with all of its usage, is before the next one begins.
      const usages = path({ fromMs: reachedMs, toMs: boundaryMs });
      if (passTo(boundaryMs - 1, usages) || passTo(boundaryMs, [])) {
        return reachedMs;
      }
      path = createUsagePath(meters, part, boundaryMs);
    }
    if (passTo(instantMs, path({ fromMs: reachedMs, toMs: instantMs }))) {
      return reachedMs;
    }
  }
  return;
}

/** The hour in which something is used up: of each day first, then of the hours of the one that it is. */
function findHour(account: Account, looking: Looking, part: BandPart): number | undefined {
  const { meters, nowMs, toMs } = looking;
  const starts = meters[0]?.days.startsMs ?? [];
  const days = [...starts.filter((startMs) => nowMs < startMs && startMs < toMs), toMs];
  const foundMs = findFirst(account, looking, { part, instants: days });
  if (foundMs === undefined) {
    return;
  }
  const before = days.filter((dayMs) => dayMs < foundMs);
  const fromMs = before.at(-1) ?? nowMs;
  const hours = Array.from({ length: Math.ceil((foundMs - fromMs) / HOUR_MS) }, (_, hour) =>
    Math.min(foundMs, fromMs + (hour + 1) * HOUR_MS),
  );
  return findFirst(account, looking, { part, instants: [...before, ...hours] });
}

function findRunOut(account: Account, looking: Looking): RunOut {
  const [lower95, lower80, mean, upper80, upper95] = BAND_PARTS.map((part) =>
    findHour(account, looking, part),
  );
  return { lower95, lower80, mean, upper80, upper95 };
}

const NEVER: RunOut = {
  lower95: undefined,
  lower80: undefined,
  mean: undefined,
  upper80: undefined,
  upper95: undefined,
};

/** When a spend cap is reached: no further unit of some meter fits. `undefined` without a cap that counts. */
export function projectCap(given: ProjectedAccount, outlook: Outlook): MoneyRunOut | undefined {
  const now = bringToNow(given);
  const { cap } = now;
  if (cap === undefined || !isRunning(now)) {
    return;
  }
  const isReached = (account: Account) => {
    if (!isRunning(account)) {
      return false;
    }
    const spend = spendOf(account);
    return (
      highestSpend(spend) >= cap ||
      spend.cards.some(({ meterId }) => unitsWithinCap(cap, [spend], meterId) <= 0n)
    );
  };
  // What the cap would keep out is what shows that it is reached.
  const free: Account = { ...now, cap: undefined, capBefore: undefined };
  const used = currentCharge(spendOf(now));
  const isExhausted = isReached(now);
  return {
    limit: cap,
    used,
    left: used < cap ? cap - used : 0n,
    resetsAtMs: now.subscription.period.toMs,
    isExhausted,
    runOut: isExhausted
      ? NEVER
      : findRunOut(free, { ...outlook, nowMs: given.nowMs, isUsedUp: isReached }),
  };
}

/** Credit that may be used at an instant, in minor units. */
function usableCredit({ credit }: Account, atMs: number): bigint {
  return credit.grants.reduce(
    (sum, grant) =>
      grant.effectiveAtMs <= atMs && !isExpired(grant, atMs) ? sum + grant.left : sum,
    0n,
  );
}

/** The account if its plan ended now and nothing came back: all that was used is invoiced. */
function settleNow(account: Account, atMs: number): Account {
  return isRunning(account)
    ? endSubscription(account, { atMs, mode: "none", into: "ended", isAtEnd: false })
    : account;
}

/** True when credit has no room for a further unit of some meter. On a prepaid plan it pays for usage alone, and usage ends there. */
function hasNoRoom(account: RunningAccount): boolean {
  const { toMs } = account.subscription.period;
  const payable = payableByCredit(account, toMs);
  const draw = drawOf(account, toMs);
  return draw.cards.some(({ meterId }) => unitsWithinCap(payable, [draw], meterId) <= 0n);
}

/**
 * When credit pays no longer for what is used: an invoice for all of it would leave something due; on a prepaid plan, no further unit
 * fits. `undefined` without credit.
 */
export function projectCredit(given: ProjectedAccount, outlook: Outlook): MoneyRunOut | undefined {
  const now = bringToNow(given);
  const { nowMs } = given;
  const limit = usableCredit(now, nowMs);
  if (limit === 0n || !isRunning(now)) {
    return;
  }
  const known = now.invoices.length;
  const owes = (account: Account, atMs: number) =>
    isPrepaid(account)
      ? hasNoRoom(account)
      : settleNow(account, atMs)
          .invoices.slice(known)
          .some((invoice) => dueOf(invoice) > 0n);
  const left = usableCredit(settleNow(now, nowMs), nowMs);
  const isExhausted = owes(now, nowMs);
  return {
    limit,
    used: limit - left,
    left,
    resetsAtMs: undefined,
    isExhausted,
    runOut: isExhausted ? NEVER : findRunOut(now, { ...outlook, nowMs, isUsedUp: owes }),
  };
}
