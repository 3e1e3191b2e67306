import { t } from "@lingui/core/macro";
import { toPlural } from "@turnpike/domain/text/to-plural";

/** Units that the product names itself, as the built-in meter of requests does. Operators' own words stay as they are. */
const OWN_UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  request: [t`request`, t`requests`],
  call: [t`call`, t`calls`],
  unit: [t`unit`, t`units`],
  seat: [t`seat`, t`seats`],
};

function ownWords(unit: string): readonly [one: string, many: string] | undefined {
  return Object.hasOwn(OWN_UNITS, unit) ? OWN_UNITS[unit] : undefined;
}

/** One unit, as it stands after a 1. */
export function nameUnit(unit: string): string {
  return ownWords(unit)?.[0] ?? unit;
}

/** Several units: "requests". */
export function nameUnits(unit: string): string {
  return ownWords(unit)?.[1] ?? toPlural(unit);
}
