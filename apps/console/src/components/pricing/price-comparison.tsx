import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { joinClasses } from "@turnpike/ui/join-classes";
import { NumberField } from "@turnpike/ui/number-field";
import { Slider } from "@turnpike/ui/slider";
import { useState } from "react";
import { formatUnits } from "#components/billing/invoice-line.view-model.ts";
import { nameMeter } from "#platform/name-meter.ts";
import type { Meter, Plan } from "#platform/shared-queries.ts";
import { type ComparedOffer, comparePrices, listComparedMeters } from "./comparison.view-model.ts";
import type { OfferPricer } from "./price-offers.ts";
import { STEPS, toPosition, toQuantity, toRange } from "./quantity-scale.view-model.ts";

export type PriceComparisonProps = {
  plans: readonly Plan[];
  meters: readonly Meter[];
  pricers: ReadonlyMap<string, OfferPricer>;
  /** Used in this period so far, whole units by meter. */
  used: ReadonlyMap<string, number>;
  currentPlanId: string | undefined;
};

/** Any usage, priced in all plans side by side by the engine that bills. */
export function PriceComparison(props: PriceComparisonProps) {
  const { plans, meters, pricers, used, currentPlanId } = props;
  // What is moved by hand; what is not stays where usage puts it.
  const [moved, setMoved] = useState<ReadonlyMap<string, number>>(new Map());
  const compared = listComparedMeters(plans, meters);
  if (compared.length === 0) {
    return null;
  }
  const quantities = new Map(
    compared.map(({ meterId }) => [
      meterId,
      moved.get(meterId) ?? toRange(plans, meterId, used.get(meterId) ?? 0).start,
    ]),
  );
  const offers = comparePrices({ plans, meters, pricers, quantities });
  return (
    <Card
      title={t`What would it cost?`}
      description={t`Computed in your browser by the engine that writes the invoices. Credit, and taxes that prices do not include, are left out.`}
      className="mt-4"
    >
      <div className="space-y-4">
        {compared.map((meter) => (
          <Quantity
            key={meter.meterId}
            meter={meter}
            max={toRange(plans, meter.meterId, used.get(meter.meterId) ?? 0).max}
            used={used.get(meter.meterId) ?? 0}
            value={quantities.get(meter.meterId) ?? 0}
            onValueChange={(value) => setMoved(new Map(moved).set(meter.meterId, value))}
          />
        ))}
      </div>
      <ul className="mt-5 grid gap-3 sm:grid-cols-[repeat(auto-fit,minmax(13rem,1fr))]">
        {offers.map((offer) => (
          <Offer key={offer.planId} offer={offer} isCurrent={offer.planId === currentPlanId} />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {toSummary(offers)}
      </p>
    </Card>
  );
}

function toSummary(offers: readonly ComparedOffer[]): string {
  return offers
    .filter(({ isCheapest }) => isCheapest)
    .map(({ name, total }) => t`Cheapest: ${name}, ${total} a month`)
    .join(". ");
}

type QuantityProps = {
  meter: Meter;
  max: number;
  used: number;
  value: number;
  onValueChange: (value: number) => void;
};

function Quantity({ meter, max, used, value, onValueChange }: QuantityProps) {
  return (
    <div className="grid items-end gap-x-4 gap-y-1 sm:grid-cols-[1fr_14rem]">
      <Slider
        label={t`${nameMeter(meter)} a month, from few to many`}
        valueText={formatUnits(String(value), meter.unit)}
        value={toPosition(value, max)}
        max={STEPS}
        onValueChange={(position) => onValueChange(toQuantity(position, max))}
      />
      <NumberField
        label={t`${nameMeter(meter)} a month`}
        {...(used > 0 && { help: t`${formatUnits(String(used), meter.unit)} this period so far` })}
        min={0}
        max={Number.MAX_SAFE_INTEGER}
        step={1}
        format={{ maximumFractionDigits: 0 }}
        value={value}
        onValueChange={(typed) => onValueChange(toWhole(typed))}
      />
    </div>
  );
}

/** What is typed may be nothing, negative, or more than a number holds exactly. */
function toWhole(typed: number | null): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(typed ?? 0)));
}

function Offer({ offer, isCurrent }: { offer: ComparedOffer; isCurrent: boolean }) {
  return (
    <li
      className={joinClasses(
        "flex flex-col rounded-control border p-3",
        offer.isCheapest ? "border-line-control bg-selected" : "border-line",
      )}
    >
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium">{offer.name}</h3>
        {offer.isCheapest && (
          <Badge tone="ok">
            <Trans>Cheapest</Trans>
          </Badge>
        )}
        {isCurrent && (
          <span className="text-ink-muted text-xs">
            <Trans>Your plan</Trans>
          </span>
        )}
      </div>
      <p className="mt-1 flex flex-wrap items-baseline gap-x-1.5">
        <span className="font-semibold text-lg tabular-nums">{offer.total}</span>
        <span className="text-ink-muted text-xs">
          <Trans>a month{offer.isAverage && t`, on average of a year`}</Trans>
        </span>
      </p>
      {offer.misfit !== undefined && <p className="mt-1 text-warning text-xs">{offer.misfit}</p>}
      <ul className="mt-2 space-y-1 text-xs tabular-nums">
        {offer.lines.map((line) => (
          <li key={line.key}>
            <div className="flex justify-between gap-3">
              <span>{line.name}</span>
              <span>{line.amount}</span>
            </div>
            {line.tiers.map((tier) => (
              <div key={tier.key} className="flex flex-wrap justify-between gap-x-3 text-ink-muted">
                <span>{tier.range}</span>
                <span className="ml-auto">{tier.text}</span>
              </div>
            ))}
          </li>
        ))}
      </ul>
    </li>
  );
}
