import { toScaled } from "../../money/decimal.ts";
import type { TaxRate } from "./tax-decision.ts";

/** A rate in per cent, and the day from which it holds; undefined for ever before. */
type Dated = readonly [percent: string, from?: string];

/**
 * Standard rates of VAT of the member states, with their changes since 2011.
 *
 * Source: `vat-rates.json` of github.com/ibericode/vat-rates (MIT licence), commit of 2025-08-12. Those of the fourteen states that
 * `data/regimes` of github.com/invopop/gobl (Apache-2.0) has were compared with its commit of 2026-07-02: since 2014 they agree.
 */
const STANDARD: Readonly<Record<string, readonly Dated[]>> = {
  AT: [["20"]],
  BE: [["21"]],
  BG: [["20"]],
  HR: [["25"]],
  CY: [["19"]],
  CZ: [["21"]],
  DK: [["25"]],
  EE: [["20"], ["22", "2024-01-01"], ["24", "2025-07-01"]],
  FI: [["24"], ["25.5", "2024-09-01"]],
  FR: [["19.6"], ["20", "2014-01-01"]],
  DE: [["19"], ["16", "2020-07-01"], ["19", "2021-01-01"]],
  GR: [["23"], ["24", "2016-06-01"]],
  HU: [["27"]],
  IE: [["23"], ["21", "2020-09-01"], ["23", "2021-03-01"]],
  IT: [["22"]],
  LV: [["21"]],
  LT: [["21"]],
  LU: [["15"], ["17", "2015-01-01"], ["16", "2023-01-01"], ["17", "2024-01-01"]],
  MT: [["18"]],
  NL: [["19"], ["21", "2012-10-01"]],
  PL: [["23"]],
  PT: [["23"]],
  RO: [["24"], ["20", "2016-01-01"], ["19", "2017-01-01"], ["21", "2025-08-01"]],
  SK: [["19"], ["20", "2011-01-01"], ["23", "2025-01-01"]],
  SI: [["22"]],
  ES: [["21"]],
  SE: [["25"]],
};

/**
 * Rates of the European Union for services by electronic means, which are taxed at the standard rate. A rate begins at midnight UTC.
 * An operator's own row for a country counts instead from its date on.
 */
export const EU_RATES: readonly TaxRate[] = Object.entries(STANDARD).flatMap(([country, dated]) =>
  dated.map(([percent, from]) => ({
    country,
    region: undefined,
    taxClass: "standard",
    category: "S",
    rate: toScaled(percent),
    name: undefined,
    fromMs: from === undefined ? undefined : Date.parse(from),
    toMs: undefined,
  })),
);
