import { ENTITLEMENT_KINDS } from "@turnpike/domain/billing/catalog/billing-plan";
import type {
  DurationTerms,
  EntitlementTerms,
  IntervalTerms,
  PriceTerms,
  PriceTierTerms,
  RateCardTerms,
} from "@turnpike/domain/catalog/plan-phase";
import { CALENDAR_UNITS, type CalendarUnit } from "@turnpike/domain/time/period";
import { addRow, type Row, toRows } from "./rows.view-model.ts";

/** What a card is: a fee, usage of a meter, or something that is only promised. */
export const CARD_KINDS = ["fee", "usage", "feature"] as const;
export type CardKind = (typeof CARD_KINDS)[number];

/** `none` charges nothing. */
export type ModelChoice = PriceTerms["model"] | "none";
export type EntitlementChoice = EntitlementTerms["kind"] | "none";

export type TierDraft = Row & {
  /** Not read of the last tier, which is open. */
  upTo: string;
  unitAmount: string;
  flatAmount: string;
};

/** A length of time, as text and unit. */
export type LengthDraft<Unit extends string> = { count: string; unit: Unit };

/** The text typed into the form of a rate card. What its model does not have is kept, for changing back. */
export type CardDraft = Row & {
  kind: CardKind;
  key: string;
  /** False while the key follows the name or the meter. */
  isKeyTyped: boolean;
  name: string;
  meter: string;
  model: ModelChoice;
  amount: string;
  unitAmount: string;
  size: string;
  rate: string;
  tiers: readonly TierDraft[];
  included: string;
  minimum: string;
  maximum: string;
  interval: LengthDraft<CalendarUnit>;
  timing: "advance" | "arrears";
  quantity: string;
  taxClass: string;
  entitlement: EntitlementChoice;
  /** Units of a quota, or the value of a static entitlement. */
  limit: string;
  /** True when the quota is refilled on a clock of its own. */
  hasRefill: boolean;
  refill: LengthDraft<CalendarUnit>;
};

export const TAX_CLASS_DEFAULT = "standard";

const MONTHLY: LengthDraft<CalendarUnit> = { count: "1", unit: "month" };
const FIRST_TIERS: readonly TierDraft[] = toRows([
  { upTo: "1000", unitAmount: "0", flatAmount: "" },
  { upTo: "", unitAmount: "", flatAmount: "" },
]);

/** Reads the only member of `{ month: 1 }`; without one, or with several, the fallback. */
export function toLength<Unit extends string>(
  terms: Readonly<Partial<Record<Unit, number | undefined>>> | undefined,
  units: readonly Unit[],
  fallback: LengthDraft<Unit>,
): LengthDraft<Unit> {
  const unit = units.find((known) => terms?.[known] !== undefined);
  return unit === undefined ? fallback : { unit, count: String(terms?.[unit] ?? "") };
}

/**
 * A length as terms. What is no whole number becomes 0, which the checks of a plan refuse at this place.
 */
function toCount(count: string): number {
  return /^\s*\d{1,6}\s*$/.test(count) ? Number(count) : 0;
}

export function toIntervalTerms({ count, unit }: LengthDraft<CalendarUnit>): IntervalTerms {
  return { [unit]: toCount(count) };
}

export function toDurationTerms({
  count,
  unit,
}: LengthDraft<keyof DurationTerms & string>): DurationTerms {
  return { [unit]: toCount(count) };
}

/** An empty card of a kind, as it is added. */
export function makeCard(kind: CardKind): Omit<CardDraft, "rowId"> {
  return {
    kind,
    key: "",
    isKeyTyped: false,
    name: "",
    meter: "",
    model: kind === "fee" ? "flat" : kind === "usage" ? "per_unit" : "none",
    amount: "",
    unitAmount: "",
    size: "",
    rate: "",
    tiers: FIRST_TIERS,
    included: "",
    minimum: "",
    maximum: "",
    interval: MONTHLY,
    timing: kind === "fee" ? "advance" : "arrears",
    quantity: "",
    taxClass: TAX_CLASS_DEFAULT,
    entitlement: kind === "feature" ? "boolean" : "none",
    limit: "",
    hasRefill: false,
    refill: MONTHLY,
  };
}

function toTierDrafts(tiers: readonly PriceTierTerms[] | undefined): readonly TierDraft[] {
  return tiers === undefined
    ? FIRST_TIERS
    : toRows(
        tiers.map(({ upTo, unitAmount, flatAmount }) => ({
          upTo: upTo ?? "",
          unitAmount: unitAmount ?? "",
          flatAmount: flatAmount ?? "",
        })),
      );
}

function toKind({ meter, price, entitlement }: RateCardTerms): CardKind {
  if (meter !== undefined) {
    return "usage";
  }
  return price === undefined && entitlement !== undefined ? "feature" : "fee";
}

/** A card of a plan as text. */
export function toCardDraft(card: RateCardTerms): Omit<CardDraft, "rowId"> {
  const { price, entitlement } = card;
  const kind = toKind(card);
  return {
    ...makeCard(kind),
    key: card.key,
    isKeyTyped: true,
    name: card.name ?? "",
    meter: card.meter ?? "",
    model: price?.model ?? "none",
    amount: price?.amount ?? "",
    unitAmount: price?.unitAmount ?? "",
    size: price?.size ?? "",
    rate: price?.rate ?? "",
    tiers: toTierDrafts(price?.tiers),
    included: price?.included ?? "",
    minimum: price?.minimum ?? "",
    maximum: price?.maximum ?? "",
    interval: toLength(card.interval, CALENDAR_UNITS, MONTHLY),
    timing: card.timing ?? (kind === "fee" ? "advance" : "arrears"),
    quantity: card.quantity ?? "",
    taxClass: card.taxClass ?? TAX_CLASS_DEFAULT,
    entitlement: ENTITLEMENT_KINDS.find((known) => known === entitlement?.kind) ?? "none",
    limit: entitlement?.limit ?? "",
    hasRefill: entitlement?.refill !== undefined,
    refill: toLength(entitlement?.refill, CALENDAR_UNITS, MONTHLY),
  };
}

/** Text that may be left out. */
function optional<Name extends string>(
  name: Name,
  text: string,
): Partial<Readonly<Record<Name, string>>> {
  const trimmed = text.trim();
  return trimmed === "" ? {} : ({ [name]: trimmed } as Record<Name, string>);
}

function toTierTerms(tiers: readonly TierDraft[]): PriceTierTerms[] {
  return tiers.map(({ upTo, unitAmount, flatAmount }, index) => ({
    upTo: index === tiers.length - 1 ? null : upTo.trim(),
    ...optional("unitAmount", unitAmount),
    ...optional("flatAmount", flatAmount),
  }));
}

function toModelTerms(draft: CardDraft, model: PriceTerms["model"]): PriceTerms {
  switch (model) {
    case "flat":
      return { model, amount: draft.amount.trim() };
    case "per_unit":
      return { model, unitAmount: draft.unitAmount.trim() };
    case "graduated":
    case "volume":
      return { model, tiers: toTierTerms(draft.tiers) };
    case "package":
      return { model, amount: draft.amount.trim(), size: draft.size.trim() };
    case "percentage":
      return { model, rate: draft.rate.trim() };
  }
}

function toPriceTerms(draft: CardDraft): PriceTerms | undefined {
  if (draft.model === "none" || draft.kind === "feature") {
    return;
  }
  return {
    ...toModelTerms(draft, draft.model),
    // They apply to usage only, and a fee has no field for them.
    ...(draft.kind === "usage" && {
      ...optional("included", draft.included),
      ...optional("minimum", draft.minimum),
      ...optional("maximum", draft.maximum),
    }),
  };
}

/** True for entitlements that count units of a meter. */
export function isQuota(choice: EntitlementChoice): choice is "hard" | "soft" {
  return choice === "hard" || choice === "soft";
}

function toEntitlementTerms(draft: CardDraft): EntitlementTerms | undefined {
  const kind = draft.entitlement;
  if (kind === "none") {
    return;
  }
  return {
    kind,
    ...(kind !== "boolean" && { limit: draft.limit.trim() }),
    ...(isQuota(kind) && draft.hasRefill && { refill: toIntervalTerms(draft.refill) }),
  };
}

/** A card as the API takes it. Fields that must not be empty are sent as they are, for the checks to say so. */
export function toCardTerms(draft: CardDraft): RateCardTerms {
  const price = toPriceTerms(draft);
  const entitlement = toEntitlementTerms(draft);
  const hasInterval = price !== undefined || draft.kind === "usage";
  return {
    key: draft.key.trim(),
    ...optional("name", draft.name),
    ...(draft.kind === "usage" && { meter: draft.meter }),
    ...(price !== undefined && { price }),
    ...(hasInterval && { interval: toIntervalTerms(draft.interval) }),
    ...(draft.kind === "fee" && price !== undefined && { timing: draft.timing }),
    ...(draft.kind === "fee" && optional("quantity", draft.quantity)),
    ...(draft.taxClass.trim() !== TAX_CLASS_DEFAULT && optional("taxClass", draft.taxClass)),
    ...(entitlement !== undefined && { entitlement }),
  };
}

/** Adds a tier before the open one, whose bound it gets to be typed. */
export function addTier(tiers: readonly TierDraft[]): TierDraft[] {
  return addRow(tiers, { upTo: "", unitAmount: "", flatAmount: "" }, tiers.at(-1)?.rowId);
}
