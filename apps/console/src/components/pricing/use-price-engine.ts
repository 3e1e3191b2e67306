import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Meter, Plan } from "#platform/shared-queries.ts";
import type { OfferPricer } from "./price-offers.ts";

/**
 * Loads the billing engine and prepares plans for it.
 *
 * @returns `pricers` is undefined until it is there.
 */
export function usePriceEngine(plans: readonly Plan[], meters: readonly Meter[]) {
  const engine = useQuery({
    queryKey: ["price-engine"],
    // A file of its own, which is loaded after the plans are in sight.
    queryFn: () => import("./price-offers.ts"),
    staleTime: Number.POSITIVE_INFINITY,
    // A module is not data to compare.
    structuralSharing: false,
  });
  const load = engine.data;
  const pricers = useMemo(
    (): ReadonlyMap<string, OfferPricer> | undefined => load?.preparePricing(plans, meters),
    [load, plans, meters],
  );
  return { pricers, error: engine.error, retry: () => void engine.refetch() };
}
