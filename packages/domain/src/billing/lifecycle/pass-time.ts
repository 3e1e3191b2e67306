import type { Account } from "../account/account.ts";
import type { Span } from "../rating/line.ts";
import { listRuns } from "../subscription/subscription.ts";
import { advance, nextDueMs } from "./advance.ts";
import { recordUsages, type Usage } from "./record-usage.ts";

/** Sees an account while time passes for it. */
export type OnSpan = (account: Account, span: Span) => void;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Where usage before belongs to another stretch of time than usage after, in order. */
function listCuts({ closed, subscription, capBefore, creditFromMs }: Account): number[] {
  const running = subscription === undefined ? [] : listRuns(subscription);
  const spans = [...closed, ...running.flatMap(({ stretches }) => stretches)];
  const ends = spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
  const admitted = [capBefore?.untilMs, creditFromMs].filter((ms) => ms !== undefined);
  const cuts = [...ends, ...admitted];
  return [...new Set(cuts)].sort((a, b) => a - b);
}

/** Index of the first item that is not below a value, in a list in order. */
function countBelow(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? value) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * Sums usage of a meter that lies in one day and between two cuts: nothing tells such uses apart any more. From `wholeMs` on uses
 * stay as they are, because a change may still cut between them.
 */
function mergeUses(
  usages: readonly Usage[],
  { cuts, wholeMs }: { cuts: readonly number[]; wholeMs: number },
): Usage[] {
  const merged = new Map<string, Usage>();
  for (const usage of usages) {
    const { meterId, atMs, quantity } = usage;
    const place = atMs >= wholeMs ? atMs : Math.floor(atMs / DAY_MS);
    // A use on a cut belongs to what begins there.
    const key = `${String(place)} ${String(countBelow(cuts, atMs + 1))} ${meterId}`;
    const before = merged.get(key);
    merged.set(
      key,
      before === undefined ? usage : { ...before, quantity: before.quantity + quantity },
    );
  }
  return [...merged.values()];
}

/**
 * Lets time pass up to and including `toMs` while usage happens: each use is recorded before time has passed it, so that the period
 * which holds it is still open. Usage that happened before `fromMs` was recorded late.
 *
 * @param input.fromMs - Where the account is in time.
 * @param input.usages - In the order of `atMs`. What happened after `toMs` is recorded too.
 * @param input.onSpan - Called for each span of time in which nothing is due but at its end, `fromMs` excluded and `toMs` included,
 *   with the account as it is in it.
 */
export function passTime(
  account: Account,
  {
    fromMs,
    toMs,
    usages,
    onSpan,
  }: {
    fromMs: number;
    toMs: number;
    usages: readonly Usage[];
    onSpan?: OnSpan | undefined;
  },
): Account {
  let current = account;
  let nowMs = fromMs;
  let next = 0;
  for (;;) {
    const dueMs = nextDueMs(current, nowMs);
    const untilMs = dueMs === undefined || dueMs > toMs ? undefined : dueMs;
    let end = next;
    while (end < usages.length && (untilMs === undefined || (usages[end]?.atMs ?? 0) < untilMs)) {
      end += 1;
    }
    if (end > next) {
      const uses = mergeUses(usages.slice(next, end), { cuts: listCuts(current), wholeMs: toMs });
      current = recordUsages(current, uses, nowMs);
      next = end;
    }
    const reachedMs = Math.max(nowMs, untilMs ?? toMs);
    onSpan?.(current, { fromMs: nowMs, toMs: reachedMs });
    if (untilMs === undefined) {
      return advance(current, { fromMs: nowMs, toMs });
    }
    current = advance(current, { fromMs: nowMs, toMs: reachedMs });
    nowMs = reachedMs;
  }
}
