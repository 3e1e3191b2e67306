import type { PlanTerms } from "../../catalog/plan.ts";
import type { Reader } from "../../pricing/catalog-fault.ts";
import { type BillingMeter, type BillingPlan, isPriced } from "./billing-plan.ts";
import { lacksWorstMargin } from "./read-rate-card.ts";

/** Reports what keeps the usage of a prepaid plan from drawing on credit without ever passing it. */
export function checkPrepaid(
  plan: BillingPlan,
  { terms, meters }: { terms: PlanTerms; meters: ReadonlyMap<string, BillingMeter> },
  reader: Reader,
): void {
  if (plan.isPrepaid !== true) {
    return;
  }
  const at = reader.at("isPrepaid");
  if (terms.isAddOn === true) {
    at.report("bad_value", "Remove it: usage of an add-on draws on credit where its plan does.");
  }
  const metered = plan.phases.flatMap(({ cards }) =>
    cards.filter((card) => isPriced(card) && card.meterId !== undefined),
  );
  if (metered.length === 0) {
    at.report("bad_value", "Give a card with a meter a price: only usage draws on credit.");
  }
  for (const [index, phase] of plan.phases.entries()) {
    const ofPhase = reader.at("phases").at(index);
    if (phase.minimum !== undefined) {
      ofPhase
        .at("minimum")
        .report("bad_value", "Remove the minimum: a prepaid plan charges what is used.");
    }
    for (const [place, { price, meterId = "" }] of phase.cards.entries()) {
      const card = ofPhase.at("rateCards").at(place);
      const meter = meters.get(meterId);
      if (price?.minimum !== undefined) {
        card
          .at("price")
          .at("minimum")
          .report("bad_value", "Remove the minimum: a prepaid plan charges what is used.");
      }
      if (price !== undefined && meter !== undefined && lacksWorstMargin(meter)) {
        card
          .at("meter")
          .report(
            "no_worst_margin",
            `Give the meter ${meterId} a valueMax: without one a single event can cost more than any credit.`,
          );
      }
    }
  }
}
