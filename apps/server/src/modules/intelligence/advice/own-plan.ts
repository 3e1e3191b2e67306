import type { QuotaUse } from "@turnpike/contract/advice";
import type { TriedPlan } from "@turnpike/domain/billing/advice/choose-plan";
import type { PastUsage } from "@turnpike/domain/billing/advice/replay-plan";
import {
  type BillingPlan,
  isPriced,
  type RateCard,
} from "@turnpike/domain/billing/catalog/billing-plan";
import { isQuotaCard } from "@turnpike/domain/billing/catalog/quota-card";
import { isSameInterval } from "@turnpike/domain/billing/subscription/plan-interval";
import { larger } from "@turnpike/domain/money/bounds";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import type { Quantity } from "@turnpike/domain/pricing/price";

/** Names of meters for people. */
export type MeterNames = ReadonlyMap<string, { name: string; unit: string }>;

/** Units that come with the price: `included`, or a first tier that costs nothing. */
function includedIn({ price }: RateCard): Quantity | undefined {
  if (price === undefined) {
    return;
  }
  if (price.included !== undefined) {
    return price.included;
  }
  const first = price.model === "graduated" ? price.tiers[0] : undefined;
  const isFree = first?.unitAmount === 0n && first.flatAmount === 0n;
  return isFree ? (first.upTo ?? undefined) : undefined;
}

type Given = { meterId: string; kind: QuotaUse["kind"]; limit: Quantity };

/** What a plan gives for each month. Other periods cannot be compared with months. */
function listGiven(card: RateCard): Given[] {
  const { meterId, interval, entitlement } = card;
  if (meterId === undefined) {
    return [];
  }
  const included = includedIn(card);
  const isMonthly = (unit: RateCard["interval"]) =>
    unit !== undefined && isSameInterval(unit, "month");
  return [
    ...(isQuotaCard(card) && isMonthly(entitlement?.refill ?? interval ?? "month")
      ? [{ meterId, kind: card.entitlement.kind, limit: card.entitlement.limit }]
      : []),
    ...(included !== undefined && included > 0n && isMonthly(interval)
      ? [{ meterId, kind: "included" as const, limit: included }]
      : []),
  ];
}

function mostOf(meterId: string, { months, usages }: PastUsage): Quantity {
  const sums = months.map(({ fromMs, toMs }) =>
    usages.reduce(
      (sum, usage) =>
        usage.meterId === meterId && fromMs <= usage.atMs && usage.atMs < toMs
          ? sum + usage.quantity
          : sum,
      0n,
    ),
  );
  return sums.reduce(larger, 0n);
}

/** How much of its quotas and included units a plan's customer has used, at most in one month. */
export function listQuotaUse(
  { phases }: BillingPlan,
  past: PastUsage,
  names: MeterNames,
): QuotaUse[] {
  return (phases.at(-1)?.cards ?? []).flatMap(listGiven).map(({ meterId, kind, limit }) => {
    const most = mostOf(meterId, past);
    return {
      meter: meterId,
      name: names.get(meterId)?.name ?? meterId,
      unit: names.get(meterId)?.unit ?? meterId,
      kind,
      limit: fromScaled(limit),
      most: fromScaled(most),
      share: limit === 0n ? 1 : Number(fromScaled(most)) / Number(fromScaled(limit)),
    };
  });
}

/** Half as much again as the dearest month, in two digits. */
export function suggestCap(
  { phases }: BillingPlan,
  { months }: TriedPlan,
  currency: Currency,
): string | null {
  const cards = phases.at(-1)?.cards ?? [];
  const most = months.map(({ amountMinor }) => amountMinor).reduce(larger, 0n);
  if (most === 0n || !cards.some((card) => isPriced(card) && card.meterId !== undefined)) {
    return null;
  }
  const room = (most * 3n + 1n) / 2n;
  const step = 10n ** BigInt(Math.max(0, String(room).length - 2));
  return formatMinor(((room + step - 1n) / step) * step, currency);
}
