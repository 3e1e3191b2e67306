import { QueryClientProvider } from "@tanstack/react-query";
import type { LandingContent } from "@turnpike/contract/public-pages";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { useState } from "react";
import { PriceComparison } from "#components/pricing/price-comparison.tsx";
import { usePriceEngine } from "#components/pricing/use-price-engine.ts";
import { createQueryClient } from "#platform/query-client.ts";

const NOTHING_USED: ReadonlyMap<string, number> = new Map();

type PriceCalculatorProps = Pick<LandingContent, "plans" | "meters">;

/**
 * Any usage priced in all public plans. Its own file, because it brings the billing engine, and with what else it needs around it,
 * which the page itself does without.
 */
export function PriceCalculator(props: PriceCalculatorProps) {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <UiProvider>
        <Comparison {...props} />
      </UiProvider>
    </QueryClientProvider>
  );
}

function Comparison({ plans, meters }: PriceCalculatorProps) {
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
