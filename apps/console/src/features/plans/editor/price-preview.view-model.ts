import { t } from "@lingui/core/macro";
import { readPlanSource } from "@turnpike/domain/billing/catalog/to-billing-plan";
import { type PricedLine, pricePeriod } from "@turnpike/domain/billing/rating/price-usage";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import { findCurrency } from "@turnpike/domain/money/currency";
import { fromScaled, parseDecimal } from "@turnpike/domain/money/decimal";
import { divideHalfAway } from "@turnpike/domain/money/exact";
import { formatTierRange, formatUnits } from "#components/billing/invoice-line.view-model.ts";
import { toWords } from "#components/billing/to-words.ts";
import { formatMinorUnits, formatMoney } from "#platform/format-money.ts";
import { findMeterName } from "#platform/name-meter.ts";
import { type EditedTerms, toFullTerms } from "./plan-draft.view-model.ts";

/** What is priced: a plan as it is typed, and the meters that it names. */
export type PreviewSource = {
  planId: string;
  terms: EditedTerms;
  meters: readonly MeterDefinition[];
};

export type PreviewLine = {
  key: string;
  name: string;
  quantity: string | undefined;
  amount: string;
  tiers: readonly { key: string; range: string; text: string }[];
};

export type PricePreview = {
  lines: readonly PreviewLine[];
  total: string;
  /** What the phase costs without usage. */
  zeroText: string;
};

/** Meters that a phase has a price for, in the order of its cards. */
export function listPricedMeters({ terms, meters }: PreviewSource, phaseIndex: number) {
  const cards = terms.phases[phaseIndex]?.rateCards ?? [];
  const priced = new Set(
    cards.flatMap(({ meter, price }) =>
      meter !== undefined && price !== undefined ? [meter] : [],
    ),
  );
  return meters.filter(({ meterId }) => priced.has(meterId));
}

/** A quantity that is typed; what is no decimal counts as nothing. */
function readQuantity(text: string | undefined): bigint {
  const read = parseDecimal((text ?? "").trim());
  return "scaled" in read && read.scaled > 0n ? read.scaled : 0n;
}

/**
 * Prices one full period of a phase by the functions that bill.
 *
 * @param quantities - Typed, by meter.
 * @returns Undefined while the plan has faults: there is nothing to price.
 */
export function previewPrice(
  source: PreviewSource,
  input: { phaseIndex: number; quantities: Readonly<Record<string, string>> },
): PricePreview | undefined {
  const { planId, terms, meters } = source;
  const currency = findCurrency(terms.currency);
  const { plan, faults } = readPlanSource({
    planId,
    place: 0,
    meters,
    terms: toFullTerms(terms),
  });
  if (currency === undefined || faults.length > 0) {
    return;
  }
  const { phaseIndex } = input;
  const used = listPricedMeters(source, phaseIndex);
  const quantities = new Map(
    used.map(({ meterId }) => [meterId, readQuantity(input.quantities[meterId])]),
  );
  const priced = pricePeriod(plan, { phaseIndex, quantities, currency });
  const zero = pricePeriod(plan, { phaseIndex, quantities: new Map(), currency });
  const cost = formatMinorUnits(zero.totalMinor, currency.code);
  return {
    lines: priced.lines.map((line, index) => toPreviewLine(line, index, source, phaseIndex)),
    total: formatMinorUnits(priced.totalMinor, currency.code),
    zeroText: t`Without usage it costs ${cost}.`,
  };
}

function toPreviewLine(
  line: PricedLine,
  index: number,
  { terms, meters }: PreviewSource,
  phaseIndex: number,
): PreviewLine {
  const card = terms.phases[phaseIndex]?.rateCards.find(({ key }) => key === line.card);
  const meter = meters.find(({ meterId }) => meterId === card?.meter);
  const unit = meter?.unit ?? null;
  const hasTiers =
    line.tiers.length > 1 || (line.tiers.length === 1 && line.tiers[0]?.upTo !== null);
  return {
    key: `${String(index)} ${line.name}`,
    name: card?.name ?? findMeterName(meters, card?.meter) ?? toWords(line.name),
    quantity:
      line.kind === "usage" || (line.kind === "base" && line.quantity !== 0n && hasSeats(line))
        ? formatUnits(fromScaled(line.quantity), line.kind === "usage" ? unit : "seat")
        : undefined,
    amount: formatMinorUnits(line.amountMinor, terms.currency),
    tiers: hasTiers
      ? line.tiers.map(({ upTo, quantity, amount }, place) => {
          const before = line.tiers[place - 1]?.upTo ?? null;
          const picos = divideHalfAway(amount.numerator, amount.denominator);
          return {
            key: String(place),
            range: formatTierRange(
              before === null ? null : fromScaled(before),
              upTo === null ? null : fromScaled(upTo),
            ),
            text: `${formatUnits(fromScaled(quantity), unit)} · ${formatMoney(fromScaled(picos), terms.currency)}`,
          };
        })
      : [],
  };
}

/** One seat says nothing that the line does not say. */
function hasSeats({ quantity }: PricedLine): boolean {
  return fromScaled(quantity) !== "1";
}
