import type { Currency } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import { refuseInput } from "./refuse-input.ts";

/** What customers may buy in one currency. Amounts are decimals of major units. */
export type TopUpOffer = {
  currency: string;
  /** What is suggested. */
  amounts: readonly string[];
  min: string;
  max: string;
};

/** What the operator configures of selling credit. */
export type TopUpSettings = {
  /** True where credit is taxed when it is bought, and not when it is used. */
  isTaxed: boolean;
  offers: readonly TopUpOffer[];
};

export function findOffer(
  settings: TopUpSettings | undefined,
  { code }: Currency,
): TopUpOffer | undefined {
  return settings?.offers.find(({ currency }) => currency === code);
}

/** @throws {AppError} `INVALID_REQUEST` for an amount that is not offered. */
export function assertOffered(text: string, offer: TopUpOffer, pointer: string): void {
  if (toScaled(text) < toScaled(offer.min) || toScaled(text) > toScaled(offer.max)) {
    throw refuseInput(pointer, `Use ${offer.min} to ${offer.max} ${offer.currency}.`);
  }
}
