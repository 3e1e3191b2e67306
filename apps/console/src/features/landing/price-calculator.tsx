import type { LandingContent } from "@turnpike/contract/public-pages";
import { PriceComparison } from "#components/pricing/price-comparison.tsx";
import { usePriceEngine } from "#components/pricing/use-price-engine.ts";

const NOTHING_USED: ReadonlyMap<string, number> = new Map();

/** Any usage priced in all public plans. Its own file, because it brings the billing engine. */
export function PriceCalculator({ plans, meters }: Pick<LandingContent, "plans" | "meters">) {
  const { pricers } = usePriceEngine(plans, meters);
  return (
    pricers !== undefined && (
      <PriceComparison
        plans={plans}
        meters={meters}
        pricers={pricers}
        used={NOTHING_USED}
        currentPlanId={undefined}
      />
    )
  );
}
