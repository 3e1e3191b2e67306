import type { Tx } from "@turnpike/db/client";
import { currentCharge, highestSpend, type Spend } from "@turnpike/domain/billing/limits/spend";
import { unitsWithinCap } from "@turnpike/domain/billing/limits/spend-room";
import {
  drawAt,
  type MeterReserve,
  periodOf,
  reservedSpend,
  type SpendAnchor,
  type SpendSpan,
  spansAt,
} from "@turnpike/domain/billing/limits/spend-span";
import type { LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { SpendNotice } from "@turnpike/domain/limits/lease-state";
import { larger, smaller } from "@turnpike/domain/money/bounds";
import { formatMinor } from "@turnpike/domain/money/currency";
import {
  type BudgetKey,
  type CountedBudget,
  findSpendBudget,
  lockSpendBudget,
  writeSpendAnchors,
} from "#modules/entitlements/index.ts";
import { listFreshUse, listReserved, type ReservedMeter } from "./spend-room.store.ts";

const DAY_MS = 24 * 3600 * 1000;

/** What a limit in money leaves of one meter. */
export type SpendRoom = {
  /** Whole units that fit; below zero when so many are held or used too much. */
  units: number;
  /** The same if other active leases of the tenant, of any meter, came back. */
  unitsIfReturned: number;
  /** What a refusal says. */
  notice: SpendNotice;
};

/** Balances that ended a day before the first usage of a budget are not used any more. */
function endsAfterOf({ spans, aheadMs }: CountedBudget): number {
  const starts = spans.flatMap(({ fromMs, spend }) => [
    fromMs,
    ...spend.cards.map((card) => card.fromMs),
  ]);
  return Math.min(...starts) - aheadMs - DAY_MS;
}

/** Where counting begins in a period that has begun: the ledger knows what billing has not seen of it. */
async function readAnchor(
  tx: Tx,
  { key, budget, span }: { key: BudgetKey; budget: CountedBudget; span: SpendSpan },
): Promise<SpendAnchor> {
  const { cards } = span.spend;
  const rows = await listFreshUse(tx, {
    ...key,
    // The ledger is by real time.
    meters: cards.map(({ meterId, fromMs }) => ({ meterId, fromMs: fromMs - budget.aheadMs })),
    recordedAfter: budget.fedTo,
    endsAfterMs: endsAfterOf(budget),
  });
  return {
    fresh: rows.map(({ fresh }) => fresh),
    balances: new Map(cards.map(({ meterId }, place) => [meterId, rows[place]?.balance ?? 0n])),
  };
}

async function anchorsOf(
  tx: Tx,
  key: BudgetKey,
  budget: CountedBudget,
): Promise<(SpendAnchor | undefined)[]> {
  const anchors: (SpendAnchor | undefined)[] = [];
  for (const [place, span] of budget.spans.entries()) {
    const known = budget.anchors[place];
    const hasBegun = span.fromMs <= budget.now.getTime();
    anchors.push(known ?? (hasBegun ? await readAnchor(tx, { key, budget, span }) : undefined));
  }
  return anchors;
}

/** What counts against the limits in money: the cap holds in each period, credit for all periods together. */
type Reserved = { spends: readonly Spend[]; draw: Spend | undefined };

/** {@link Reserved} by what of a meter is meant. */
type ReservedBy = (reserveOf: (meter: ReservedMeter) => MeterReserve) => Reserved;

function createReservedBy(
  budget: CountedBudget,
  anchors: readonly (SpendAnchor | undefined)[],
  reserved: readonly ReservedMeter[],
): ReservedBy {
  const meters = new Map(reserved.map((meter) => [meter.meterId, meter]));
  const { spans } = budget;
  const nowMs = budget.now.getTime();
  const counted = new Set(spansAt(spans, nowMs));
  return (reserveOf) => {
    const spends = spans.map((span, place) =>
      reservedSpend(span, {
        anchor: anchors[place],
        reserveOf: (meterId) => {
          const meter = meters.get(meterId);
          return meter === undefined ? { used: 0n, held: 0n } : reserveOf(meter);
        },
      }),
    );
    return {
      spends: spends.filter((_, place) => {
        const span = spans[place];
        return span !== undefined && counted.has(span);
      }),
      draw: drawAt(spans, { spends, nowMs }),
    };
  };
}

const usedOnly = ({ used }: ReservedMeter): MeterReserve => ({ used, held: 0n });
const all = ({ used, held }: ReservedMeter): MeterReserve => ({ used, held });
const withoutOthers = ({ used, held, heldElsewhere }: ReservedMeter): MeterReserve => ({
  used,
  held: held - heldElsewhere,
});

/** Units that fit under the cap; undefined without one. */
function unitsOfCap({ cap }: CountedBudget, { spends }: Reserved, meterId: string) {
  return cap === undefined ? undefined : unitsWithinCap(cap, spends, meterId);
}

/** Units that credit pays for; undefined where nothing draws on it. */
function unitsOfCredit({ credit }: CountedBudget, { draw }: Reserved, meterId: string) {
  return credit === undefined || draw === undefined
    ? undefined
    : unitsWithinCap(credit, [draw], meterId);
}

/** Units that fit under both, and which of them leaves less. */
function tightestOf(
  budget: CountedBudget,
  reserved: Reserved,
  meterId: string,
): { units: bigint; of: SpendNotice["of"] } | undefined {
  const byCap = unitsOfCap(budget, reserved, meterId);
  const byCredit = unitsOfCredit(budget, reserved, meterId);
  if (byCredit !== undefined && (byCap === undefined || byCredit < byCap)) {
    return { units: byCredit, of: "credit" };
  }
  return byCap === undefined ? undefined : { units: byCap, of: "cap" };
}

function toNotice(
  budget: CountedBudget,
  { spends, draw }: Reserved,
  of: SpendNotice["of"],
): SpendNotice {
  const { cap = 0n, credit = 0n, currency: code } = budget;
  const [running] = spends;
  if (of === "cap" && running !== undefined) {
    const { currency } = running;
    const used = formatMinor(currentCharge(running), currency);
    return { of, used, cap: formatMinor(cap, currency), currency: code };
  }
  const left = draw === undefined ? "0" : formatMinor(creditLeft(credit, draw), draw.currency);
  return { of: "credit", left, currency: code };
}

function creditLeft(credit: bigint, draw: Spend): bigint {
  return larger(credit - currentCharge(draw), 0n);
}

/**
 * Finds how many units of a meter the spend cap of a tenant, and the credit of its prepaid plan, have room for. Locks the tenant's budget
 * until the end of the transaction, so that grants for several meters of it take turns; call it with the balance locked.
 *
 * @param own - The lease that would be extended, if there is one.
 * @returns `undefined` without a limit in money, for a meter without a price, and when nothing with a price runs.
 */
export async function lockSpendRoom(
  tx: Tx,
  { tenantId, environment, meterId }: BudgetKey & { meterId: string },
  own?: LeaseId,
): Promise<SpendRoom | undefined> {
  const key = { tenantId, environment };
  const budget = await lockSpendBudget(tx, key);
  if (budget === undefined || !budget.meters.includes(meterId)) {
    return;
  }
  const anchors = await anchorsOf(tx, key, budget);
  if (anchors.some((anchor, place) => anchor !== budget.anchors[place])) {
    await writeSpendAnchors(tx, key, anchors);
  }
  // A statement of its own, which sees what was granted while this transaction waited for the lock.
  const rows = await listReserved(tx, {
    ...key,
    meterIds: budget.meters,
    endsAfterMs: endsAfterOf(budget),
    own,
  });
  const reservedBy = createReservedBy(budget, anchors, rows);
  // A refusal counts what calls a moment ago have used and no process has committed yet.
  const reserved = reservedBy(all);
  const now = tightestOf(budget, reserved, meterId);
  const ifReturned = tightestOf(budget, reservedBy(withoutOthers), meterId);
  return now === undefined || ifReturned === undefined
    ? undefined
    : {
        // Until then it looks like held by others: a caller may come back for it.
        units: Number(budget.settles ? smaller(now.units, 0n) : now.units),
        unitsIfReturned: Number(ifReturned.units),
        notice: toNotice(budget, reserved, now.of),
      };
}

/** Units of a meter with a price that still fit. */
export type UnitsLeft = { meterId: string; unitsLeft: bigint };

/** What a tenant with a cap has spent in the running period, in minor units. */
export type SpendState = {
  cap: bigint;
  currency: string;
  periodFrom: Date;
  periodTo: Date;
  /** Fees, which no use changes. */
  fees: bigint;
  /** Charges so far. */
  spent: bigint;
  /** The most that charges can come to with what is used and held: what counts against the cap. */
  reserved: bigint;
  /** True when no unit of some meter fits any more, leaving out what processes hold and can give back. */
  isReached: boolean;
  meters: UnitsLeft[];
};

/** What calls of a prepaid plan have drawn on credit, in minor units of charges before their tax. */
export type CreditState = {
  currency: string;
  /** What charges may come to that are not invoiced. */
  credit: bigint;
  /** What they come to so far. */
  drawn: bigint;
  /** The most that they can come to with what is used and held. */
  reserved: bigint;
  /** What is left, counting what calls have used. */
  left: bigint;
  /** True when no unit of some meter fits any more, leaving out what processes hold and can give back. */
  isEmpty: boolean;
  meters: UnitsLeft[];
};

function listUnitsLeft(
  { meters }: CountedBudget,
  unitsOf: (meterId: string) => bigint | undefined,
): UnitsLeft[] {
  return meters.map((meterId) => ({ meterId, unitsLeft: larger(unitsOf(meterId) ?? 0n, 0n) }));
}

async function readReserved(tx: Tx, key: BudgetKey) {
  const budget = await findSpendBudget(tx, key);
  if (budget === undefined || budget.spans.length === 0) {
    return;
  }
  const anchors = await anchorsOf(tx, key, budget);
  const rows = await listReserved(tx, {
    ...key,
    meterIds: budget.meters,
    endsAfterMs: endsAfterOf(budget),
    own: undefined,
  });
  return { budget, reservedBy: createReservedBy(budget, anchors, rows) };
}

/**
 * Reads what a tenant has spent. Locks nothing, so it may be a moment old.
 *
 * @returns `undefined` without a cap, and when nothing with a price runs.
 */
export async function findSpendState(tx: Tx, tenantId: TenantId): Promise<SpendState | undefined> {
  const read = await readReserved(tx, { tenantId, environment: "live" });
  const cap = read?.budget.cap;
  if (read === undefined || cap === undefined) {
    return;
  }
  const { budget, reservedBy } = read;
  const span = spansAt(budget.spans, budget.now.getTime())[0];
  const [used] = reservedBy(usedOnly).spends;
  const [most] = reservedBy(all).spends;
  if (span === undefined || used === undefined || most === undefined) {
    return;
  }
  const settled = reservedBy(withoutOthers);
  const meters = listUnitsLeft(budget, (meterId) => unitsOfCap(budget, settled, meterId));
  const period = periodOf(budget.spans, span);
  return {
    cap,
    currency: budget.currency,
    periodFrom: new Date(period.fromMs),
    periodTo: new Date(period.toMs),
    fees: span.spend.fees,
    spent: currentCharge(used),
    reserved: highestSpend(most),
    isReached: meters.some(({ unitsLeft }) => unitsLeft === 0n),
    meters,
  };
}

/**
 * Reads what calls have drawn on a tenant's credit. Locks nothing, so it may be a moment old.
 *
 * @returns `undefined` while no prepaid plan runs.
 */
export async function findCreditState(
  tx: Tx,
  tenantId: TenantId,
  environment: Environment = "live",
): Promise<CreditState | undefined> {
  const read = await readReserved(tx, { tenantId, environment });
  const credit = read?.budget.credit;
  if (read === undefined || credit === undefined) {
    return;
  }
  const { budget, reservedBy } = read;
  const { draw: used } = reservedBy(usedOnly);
  const { draw: most } = reservedBy(all);
  if (used === undefined || most === undefined) {
    return;
  }
  const settled = reservedBy(withoutOthers);
  const meters = listUnitsLeft(budget, (meterId) => unitsOfCredit(budget, settled, meterId));
  return {
    currency: budget.currency,
    credit,
    drawn: currentCharge(used),
    reserved: highestSpend(most),
    left: creditLeft(credit, used),
    isEmpty: meters.some(({ unitsLeft }) => unitsLeft === 0n),
    meters,
  };
}
