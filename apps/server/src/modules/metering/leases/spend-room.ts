import type { Tx } from "@turnpike/db/client";
import { currentCharge, highestSpend, type Spend } from "@turnpike/domain/billing/limits/spend";
import { unitsWithinCap } from "@turnpike/domain/billing/limits/spend-room";
import {
  type MeterReserve,
  reservedSpend,
  type SpendAnchor,
  type SpendSpan,
  spansAt,
} from "@turnpike/domain/billing/limits/spend-span";
import type { LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { SpendNotice } from "@turnpike/domain/limits/lease-state";
import { formatMinor } from "@turnpike/domain/money/currency";
import {
  type CountedBudget,
  findSpendBudget,
  lockSpendBudget,
  writeSpendAnchors,
} from "#modules/entitlements/index.ts";
import { listFreshUse, listReserved, type ReservedMeter } from "./spend-room.store.ts";

const DAY_MS = 24 * 3600 * 1000;

/** What a spend cap leaves of one meter. */
export type SpendRoom = {
  /** Whole units that fit; below zero when so many are held or used too much. */
  units: number;
  /** The same if other active leases of the tenant, of any meter, came back. */
  unitsIfReturned: number;
  /** What a refusal says. */
  notice: SpendNotice;
};

/** Balances that ended a day before the first usage of a budget are not used any more. */
function endsAfterOf(spans: readonly SpendSpan[]): number {
  const starts = spans.flatMap(({ fromMs, spend }) => [
    fromMs,
    ...spend.cards.map((card) => card.fromMs),
  ]);
  return Math.min(...starts) - DAY_MS;
}

/** Where counting begins in a period that has begun: the ledger knows what billing has not seen of it. */
async function readAnchor(
  tx: Tx,
  { tenantId, budget, span }: { tenantId: TenantId; budget: CountedBudget; span: SpendSpan },
): Promise<SpendAnchor> {
  const { cards } = span.spend;
  const rows = await listFreshUse(tx, {
    tenantId,
    meters: cards,
    recordedAfter: budget.fedTo,
    endsAfterMs: endsAfterOf(budget.spans),
  });
  return {
    fresh: rows.map(({ fresh }) => fresh),
    balances: new Map(cards.map(({ meterId }, place) => [meterId, rows[place]?.balance ?? 0n])),
  };
}

async function anchorsOf(
  tx: Tx,
  tenantId: TenantId,
  budget: CountedBudget,
): Promise<(SpendAnchor | undefined)[]> {
  const anchors: (SpendAnchor | undefined)[] = [];
  for (const [place, span] of budget.spans.entries()) {
    const known = budget.anchors[place];
    const hasBegun = span.fromMs <= budget.now.getTime();
    anchors.push(
      known ?? (hasBegun ? await readAnchor(tx, { tenantId, budget, span }) : undefined),
    );
  }
  return anchors;
}

/** Spend of the periods that count now, by what of a meter is meant. */
type SpendsBy = (reserveOf: (meter: ReservedMeter) => MeterReserve) => Spend[];

function createSpendsBy(
  budget: CountedBudget,
  anchors: readonly (SpendAnchor | undefined)[],
  reserved: readonly ReservedMeter[],
): SpendsBy {
  const meters = new Map(reserved.map((meter) => [meter.meterId, meter]));
  const spans = spansAt(budget.spans, budget.now.getTime());
  return (reserveOf) =>
    spans.map((span) =>
      reservedSpend(span, {
        anchor: anchors[budget.spans.indexOf(span)],
        reserveOf: (meterId) => {
          const meter = meters.get(meterId);
          return meter === undefined ? { used: 0n, held: 0n } : reserveOf(meter);
        },
      }),
    );
}

const usedOnly = ({ used }: ReservedMeter): MeterReserve => ({ used, held: 0n });
const all = ({ used, held }: ReservedMeter): MeterReserve => ({ used, held });
const withoutOthers = ({ used, held, heldElsewhere }: ReservedMeter): MeterReserve => ({
  used,
  held: held - heldElsewhere,
});

function toNotice({ cap }: CountedBudget, spend: Spend): SpendNotice {
  const { currency } = spend;
  return {
    used: formatMinor(currentCharge(spend), currency),
    cap: formatMinor(cap, currency),
    currency: currency.code,
  };
}

/**
 * Finds how many units of a meter the spend cap of a tenant has room for. Locks the tenant's budget until the end of the transaction, so
 * that grants for several meters of it take turns; call it with the balance locked.
 *
 * @param own - The lease that would be extended, if there is one.
 * @returns `undefined` without a cap, for a meter without a price, and when nothing with a price runs.
 */
export async function lockSpendRoom(
  tx: Tx,
  { tenantId, meterId }: { tenantId: TenantId; meterId: string },
  own?: LeaseId,
): Promise<SpendRoom | undefined> {
  const budget = await lockSpendBudget(tx, tenantId);
  if (budget === undefined || !budget.meters.includes(meterId)) {
    return;
  }
  const anchors = await anchorsOf(tx, tenantId, budget);
  if (anchors.some((anchor, place) => anchor !== budget.anchors[place])) {
    await writeSpendAnchors(tx, tenantId, anchors);
  }
  // A statement of its own, which sees what was granted while this transaction waited for the lock.
  const reserved = await listReserved(tx, {
    tenantId,
    meterIds: budget.meters,
    endsAfterMs: endsAfterOf(budget.spans),
    own,
  });
  const spendsBy = createSpendsBy(budget, anchors, reserved);
  // A refusal counts what calls a moment ago have used and no process has committed yet.
  const [running] = spendsBy(all);
  if (running === undefined) {
    return;
  }
  return {
    units: Number(unitsWithinCap(budget.cap, spendsBy(all), meterId)),
    unitsIfReturned: Number(unitsWithinCap(budget.cap, spendsBy(withoutOthers), meterId)),
    notice: toNotice(budget, running),
  };
}

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
  /** Units of each meter with a price that still fit. */
  meters: { meterId: string; unitsLeft: bigint }[];
};

/**
 * Reads what a tenant has spent. Locks nothing, so it may be a moment old.
 *
 * @returns `undefined` without a cap, and when nothing with a price runs.
 */
export async function findSpendState(tx: Tx, tenantId: TenantId): Promise<SpendState | undefined> {
  const budget = await findSpendBudget(tx, tenantId);
  const span = budget && spansAt(budget.spans, budget.now.getTime())[0];
  if (budget === undefined || span === undefined) {
    return;
  }
  const anchors = await anchorsOf(tx, tenantId, budget);
  const reserved = await listReserved(tx, {
    tenantId,
    meterIds: budget.meters,
    endsAfterMs: endsAfterOf(budget.spans),
    own: undefined,
  });
  const spendsBy = createSpendsBy(budget, anchors, reserved);
  const [used] = spendsBy(usedOnly);
  const [most] = spendsBy(all);
  const settled = spendsBy(withoutOthers);
  if (used === undefined || most === undefined) {
    return;
  }
  const meters = budget.meters.map((meterId) => {
    const units = unitsWithinCap(budget.cap, settled, meterId);
    return { meterId, unitsLeft: units > 0n ? units : 0n };
  });
  return {
    cap: budget.cap,
    currency: budget.currency,
    periodFrom: new Date(span.fromMs),
    periodTo: new Date(span.toMs),
    fees: span.spend.fees,
    spent: currentCharge(used),
    reserved: highestSpend(most),
    isReached: meters.some(({ unitsLeft }) => unitsLeft === 0n),
    meters,
  };
}
