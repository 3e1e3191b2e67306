import { isAdditive } from "../../catalog/meter.ts";
import { SCALE } from "../../money/decimal.ts";
import type { Reader } from "../../pricing/catalog-fault.ts";
import type { Price } from "../../pricing/price.ts";
import { readPrice } from "../../pricing/read-price.ts";
import {
  type Members,
  readDecimal,
  readInterval,
  readMembers,
  readOptionalDecimal,
  readText,
} from "../../pricing/read-value.ts";
import { toSuggestion } from "../../text/suggest.ts";
import {
  type BillingMeter,
  type CardEntitlement,
  ENTITLEMENT_KINDS,
  type RateCard,
} from "./billing-plan.ts";

type Meters = ReadonlyMap<string, BillingMeter>;

function findMeter(meterId: string, meters: Meters, reader: Reader): BillingMeter | undefined {
  const meter = meters.get(meterId);
  if (meter === undefined) {
    reader.report(
      "unknown_meter",
      `Define the meter ${meterId}, or name one that exists.${toSuggestion(meterId, [...meters.keys()])}`,
    );
  }
  return meter;
}

function checkFeePrice(price: Price, reader: Reader): void {
  if (price.model === "percentage") {
    reader
      .at("model")
      .report("needs_meter", "Name a meter that sums money: a percentage is of what it counts.");
  }
  for (const bound of ["included", "minimum", "maximum"] as const) {
    if (price[bound] !== undefined) {
      reader
        .at(bound)
        .report("needs_meter", "Remove it, or name a meter: it applies to usage only.");
    }
  }
}

function checkMeteredPrice(price: Price, meter: BillingMeter, reader: Reader): void {
  if (price.model === "flat") {
    reader
      .at("model")
      .report(
        "flat_with_meter",
        "Make the flat amount a card of its own, without a meter; use per_unit or tiers for usage.",
      );
  }
  if (!isAdditive(meter.aggregation)) {
    reader.report(
      "meter_not_additive",
      `Price a meter that counts or sums: ${meter.aggregation} of ${meter.meterId} cannot be added up.`,
    );
  }
  if (price.model === "percentage" && meter.aggregation !== "sum") {
    reader
      .at("model")
      .report("percentage_needs_sum", "Use a meter that sums money, or a price for each unit.");
  }
}

/** True when one event can cost any amount: its value has no bound. */
export function lacksWorstMargin(meter: BillingMeter): boolean {
  return meter.aggregation === "sum" && meter.valueMax === undefined;
}

function readEntitlement(value: unknown, reader: Reader): CardEntitlement {
  const entitlement = readMembers(value, reader);
  const kind = ENTITLEMENT_KINDS.find((known) => known === entitlement["kind"]);
  if (kind === undefined) {
    reader.at("kind").report("bad_value", `Use one of ${ENTITLEMENT_KINDS.join(", ")}.`);
  }
  const { limit, refill } = entitlement;
  const isLimited = kind === "hard" || kind === "soft";
  return {
    kind: kind ?? "static",
    limit:
      isLimited || limit !== undefined ? limitOf(isLimited, limit, reader.at("limit")) : undefined,
    refill:
      refill === undefined || refill === null
        ? undefined
        : readInterval(refill, reader.at("refill")),
  };
}

/** A static value may be any text: only quotas are numbers. */
function limitOf(isLimited: boolean, limit: unknown, reader: Reader): bigint | undefined {
  return isLimited ? readDecimal(limit, reader) : undefined;
}

function readTiming(card: Members, isMetered: boolean, reader: Reader): RateCard["timing"] {
  const { timing } = card;
  if (timing === "advance" && isMetered) {
    reader.report("usage_in_advance", "Use arrears: usage is known when its period has ended.");
    return "arrears";
  }
  if (timing === "advance" || timing === "arrears") {
    return timing;
  }
  // Usage has one timing only, and a card without a price needs none.
  if (timing !== undefined || (!isMetered && card["price"] !== undefined)) {
    reader.report("bad_value", "Say when the fee is charged: advance or arrears.");
  }
  return "arrears";
}

/** Reads a rate card and reports what cannot work. */
export function readRateCard(
  value: unknown,
  { place, meters }: { place: number; meters: Meters },
  reader: Reader,
): RateCard {
  const card = readMembers(value, reader);
  const key = readText(card["key"], reader.at("key"));
  const name = card["name"] === undefined ? undefined : readText(card["name"], reader.at("name"));
  const isMetered = card["meter"] !== undefined && card["meter"] !== null;
  const meterId = isMetered ? readText(card["meter"], reader.at("meter")) : undefined;
  const meter =
    meterId === undefined || meterId === ""
      ? undefined
      : findMeter(meterId, meters, reader.at("meter"));
  const hasPrice = card["price"] !== undefined && card["price"] !== null;
  const price = hasPrice ? readPrice(card["price"], reader.at("price")) : undefined;
  if (price !== undefined && !isMetered) {
    checkFeePrice(price, reader.at("price"));
  }
  if (price !== undefined && meter !== undefined) {
    checkMeteredPrice(price, meter, reader.at("price"));
  }
  const needsInterval = hasPrice || (card["interval"] !== undefined && card["interval"] !== null);
  const interval = needsInterval
    ? readInterval(card["interval"], reader.at("interval"))
    : undefined;
  const timing = readTiming(card, isMetered, reader.at("timing"));
  const quantity = readOptionalDecimal(card["quantity"], reader.at("quantity")) ?? SCALE;
  const taxClass =
    card["taxClass"] === undefined ? "standard" : readText(card["taxClass"], reader.at("taxClass"));
  const hasEntitlement = card["entitlement"] !== undefined && card["entitlement"] !== null;
  const entitlement = hasEntitlement
    ? readEntitlement(card["entitlement"], reader.at("entitlement"))
    : undefined;
  if (entitlement?.kind === "hard" && hasPrice && meter !== undefined && lacksWorstMargin(meter)) {
    reader
      .at("entitlement")
      .report(
        "no_worst_margin",
        `Make the limit soft, or give the meter ${meter.meterId} a valueMax: without one a single event can pass any limit.`,
      );
  }
  return { key, name, place, meterId, price, interval, timing, quantity, taxClass, entitlement };
}
