import { AGGREGATIONS } from "../../catalog/meter.ts";
import type { Reader } from "../../pricing/catalog-fault.ts";
import { readList, readMembers, readOptionalDecimal, readText } from "../../pricing/read-value.ts";
import type { BillingCatalog, BillingMeter, BillingPlan } from "./billing-plan.ts";
import { readPlan } from "./read-plan.ts";

function readMeter(value: unknown, reader: Reader): BillingMeter {
  const meter = readMembers(value, reader);
  const meterId = readText(meter["meterId"], reader.at("meterId"));
  const aggregation = AGGREGATIONS.find((known) => known === meter["aggregation"]);
  if (aggregation === undefined) {
    reader.at("aggregation").report("bad_value", `Use one of ${AGGREGATIONS.join(", ")}.`);
  }
  const valueMax = readOptionalDecimal(meter["valueMax"], reader.at("valueMax"));
  return { meterId, aggregation: aggregation ?? "count", valueMax };
}

/**
 * Reads meters and plans as they are published, and reports everything that cannot work.
 *
 * @returns What could be read; use it only when nothing was reported.
 */
export function readBillingCatalog(value: unknown, reader: Reader): BillingCatalog {
  const catalog = readMembers(value, reader);
  const meters = new Map<string, BillingMeter>();
  const listed = catalog["meters"] === undefined ? [] : catalog["meters"];
  for (const [index, item] of readList(listed, reader.at("meters")).entries()) {
    const at = reader.at("meters").at(index);
    const meter = readMeter(item, at);
    if (meters.has(meter.meterId)) {
      at.at("meterId").report("twice", `Give each meter its own id: ${meter.meterId} is taken.`);
    }
    meters.set(meter.meterId, meter);
  }
  const plans = new Map<string, BillingPlan>();
  for (const [place, item] of readList(catalog["plans"], reader.at("plans")).entries()) {
    const at = reader.at("plans").at(place);
    const plan = readPlan(item, { place, meters }, at);
    if (plans.has(plan.planId)) {
      at.at("planId").report("twice", `Give each plan its own id: ${plan.planId} is taken.`);
    }
    plans.set(plan.planId, plan);
  }
  return { meters, plans };
}
