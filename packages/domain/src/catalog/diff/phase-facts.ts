import { toGrouped } from "../../text/to-grouped.ts";
import type { EntitlementTerms, PlanPhaseTerms, RateCardTerms } from "../plan-phase.ts";
import { type Fact, groupFact, valueFact } from "./fact.ts";
import { decimalFact, describeInterval, describePrice, toPriceFact } from "./price-facts.ts";

function describeEntitlement({ kind, limit, refill }: EntitlementTerms): string {
  switch (kind) {
    case "hard":
    case "soft": {
      const often = refill === undefined ? "" : ` ${describeInterval(refill)}`;
      return `${kind} limit ${toGrouped(limit ?? "?")}${often}`;
    }
    case "static":
      return `value ${limit ?? ""}`.trim();
    case "boolean":
      return "a feature";
  }
}

function toEntitlementFact(entitlement: EntitlementTerms): Fact {
  const { kind, limit, refill } = entitlement;
  const isQuota = kind === "hard" || kind === "soft";
  return groupFact(
    {
      label: "entitlement",
      text: describeEntitlement(entitlement),
      value: entitlement,
      role: "silent",
      kind: isQuota ? "quota" : kind,
    },
    {
      kind: valueFact("kind of limit", kind),
      limit: isQuota
        ? decimalFact("limit", limit)
        : limit === undefined
          ? undefined
          : valueFact("value", limit),
      refill:
        refill === undefined ? undefined : valueFact("refill", refill, describeInterval(refill)),
    },
  );
}

function describeCard({ meter, price, interval, entitlement }: RateCardTerms): string {
  const parts = [
    ...(price === undefined
      ? []
      : [
          `${describePrice(price)}${interval === undefined ? "" : ` ${describeInterval(interval)}`}`,
        ]),
    ...(entitlement === undefined ? [] : [describeEntitlement(entitlement)]),
  ];
  return [...(meter === undefined ? [] : [`meter ${meter}`]), ...parts].join(", ");
}

function toCardFact(card: RateCardTerms): Fact {
  const { key, name, meter, price, interval, timing, quantity, taxClass, entitlement } = card;
  return groupFact(
    { label: key, text: describeCard(card), value: card, role: "subject" },
    {
      name: name === undefined ? undefined : valueFact("name", name, `"${name}"`),
      meter: meter === undefined ? undefined : valueFact("meter", meter),
      price: price === undefined ? undefined : toPriceFact(price),
      interval:
        interval === undefined
          ? undefined
          : valueFact("charged", interval, describeInterval(interval)),
      timing: timing === undefined ? undefined : valueFact("charged in", timing),
      quantity: decimalFact("seats", quantity),
      taxClass: taxClass === undefined ? undefined : valueFact("tax class", taxClass),
      entitlement: entitlement === undefined ? undefined : toEntitlementFact(entitlement),
    },
  );
}

/**
 * The facts of a phase.
 *
 * @param isOnly - True when the plan has no other phase to tell it from.
 */
export function toPhaseFact(
  phase: PlanPhaseTerms,
  { index, isOnly }: { index: number; isOnly: boolean },
): Fact {
  const { name, duration, minimum, taxClass, rateCards } = phase;
  const count = rateCards.length;
  const [unit, length] = Object.entries(duration ?? {})[0] ?? [];
  return groupFact(
    {
      label: isOnly ? "" : `phase ${String(index + 1)}`,
      text: `${String(count)} ${count === 1 ? "card" : "cards"}`,
      value: phase,
      role: isOnly ? "silent" : "subject",
    },
    {
      name: name === undefined ? undefined : valueFact("name", name, `"${name}"`),
      duration:
        duration === undefined
          ? undefined
          : valueFact("duration", duration, `${String(length)} ${String(unit)}`),
      minimum: decimalFact("minimum", minimum),
      taxClass: taxClass === undefined ? undefined : valueFact("tax class", taxClass),
      rateCards: groupFact(
        { label: "cards", text: "", value: null, role: "silent" },
        Object.fromEntries(rateCards.map((card) => [card.key, toCardFact(card)])),
      ),
    },
  );
}
