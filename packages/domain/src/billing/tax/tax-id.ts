import { EU_COUNTRIES } from "./tax-decision.ts";

type Check = (id: string) => boolean;

function weigh(id: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(id[index]), 0);
}

/** Sum of the digits of a number below 20. */
function crossSum(value: number): number {
  return value > 9 ? value - 9 : value;
}

/** The last digit is that of the algorithm of Luhn. */
function isLuhn(id: string): boolean {
  const digits = [...id].reverse().map(Number);
  const sum = digits.reduce(
    (total, digit, index) => total + crossSum(digit * (1 + (index % 2))),
    0,
  );
  return sum % 10 === 0;
}

/** ISO 7064, modulus 11, 10. */
function isModulus11And10(id: string): boolean {
  const product = [...id.slice(0, -1)].reduce((before, digit) => {
    const sum = (Number(digit) + before) % 10;
    return ((sum === 0 ? 10 : sum) * 2) % 11;
  }, 10);
  return (product + Number(id.at(-1))) % 10 === 1;
}

/** 11 less the remainder is the last digit; a remainder that has no digit is 0. */
function isComplementOf11(id: string, weights: readonly number[]): boolean {
  const check = 11 - (weigh(id, weights) % 11);
  return (check > 9 ? 0 : check) === Number(id.at(-1));
}

function isAustrian(id: string): boolean {
  const sum = [...id.slice(1, -1)].reduce(
    (total, digit, index) => total + crossSum(Number(digit) * (1 + (index % 2))),
    4,
  );
  return (10 - (sum % 10)) % 10 === Number(id.at(-1));
}

/** Ids of sole traders since 2020 are of modulus 97, with letters as numbers. */
function isDutch(id: string): boolean {
  const isOld = (weigh(id, [9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 10 === Number(id[8]);
  const numbers = [...`NL${id}`].map((sign) => String(Number.parseInt(sign, 36))).join("");
  return isOld || BigInt(numbers) % 97n === 1n;
}

function isFrench(id: string): boolean {
  return !/^\d+$/.test(id) || (Number(id.slice(2)) * 100 + 12) % 97 === Number(id.slice(0, 2));
}

/** Without the prefix. A form alone is checked where the check digits have exceptions: to refuse a good id is worse than to ask. */
const FORMS: Readonly<Record<string, readonly [RegExp, Check?]>> = {
  AT: [/^U\d{8}$/, isAustrian],
  BE: [/^[01]\d{9}$/, (id) => 97 - (Number(id.slice(0, 8)) % 97) === Number(id.slice(8))],
  BG: [/^\d{9,10}$/],
  HR: [/^\d{11}$/, isModulus11And10],
  CY: [/^\d{8}[A-Z]$/],
  CZ: [/^\d{8,10}$/],
  DK: [/^\d{8}$/, (id) => weigh(id, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0],
  EE: [/^\d{9}$/, (id) => weigh(id, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0],
  FI: [/^\d{8}$/, (id) => isComplementOf11(id, [7, 9, 10, 5, 8, 4, 2])],
  FR: [/^[A-HJ-NP-Z\d]{2}\d{9}$/, isFrench],
  DE: [/^[1-9]\d{8}$/, isModulus11And10],
  GR: [
    /^\d{9}$/,
    (id) => (weigh(id, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === Number(id.at(-1)),
  ],
  HU: [/^\d{8}$/, (id) => weigh(id, [9, 7, 3, 1, 9, 7, 3, 1]) % 10 === 0],
  IE: [/^(?:\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/],
  IT: [/^\d{11}$/, isLuhn],
  LV: [/^\d{11}$/],
  LT: [/^(?:\d{9}|\d{12})$/],
  LU: [/^\d{8}$/, (id) => Number(id.slice(0, 6)) % 89 === Number(id.slice(6))],
  MT: [/^\d{8}$/, (id) => 37 - (weigh(id, [3, 4, 6, 7, 8, 9]) % 37) === Number(id.slice(6))],
  NL: [/^\d{9}B\d{2}$/, isDutch],
  PL: [/^\d{10}$/, (id) => weigh(id, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === Number(id.at(-1))],
  PT: [/^\d{9}$/, (id) => isComplementOf11(id, [9, 8, 7, 6, 5, 4, 3, 2])],
  RO: [/^[1-9]\d{1,9}$/],
  SK: [/^\d{10}$/, (id) => Number(id) % 11 === 0],
  SI: [/^[1-9]\d{7}$/, (id) => isComplementOf11(id, [8, 7, 6, 5, 4, 3, 2])],
  ES: [/^[A-Z\d]\d{7}[A-Z\d]$/],
  SE: [/^\d{12}$/, (id) => isLuhn(id.slice(0, 10))],
};

/** What ids of a country begin with. Greece is `EL` in them. */
function prefixOf(country: string): string {
  return country === "GR" ? "EL" : country;
}

/**
 * Reads the tax id of a customer. In the European Union it is the VAT id of the country; elsewhere any text. Nothing is asked of an
 * authority: a good form does not say that the id exists.
 *
 * @returns The id without spaces, dots and dashes, with its prefix; or what is wrong with it, as a sentence.
 */
export function parseTaxId(
  text: string,
  country: string | undefined,
): { taxId: string } | { fault: string } {
  if (country === undefined) {
    return { fault: "Say the country as well: it decides the form of a tax id." };
  }
  if (!EU_COUNTRIES.has(country)) {
    return { taxId: text.trim() };
  }
  const prefix = prefixOf(country);
  const plain = text.toUpperCase().replaceAll(/[\s.-]/g, "");
  const hasPrefix = plain.startsWith(prefix);
  const id = hasPrefix ? plain.slice(prefix.length) : plain;
  // Two letters are the prefix of another country, though some French ids begin with two.
  const isForeign = !hasPrefix && /^[A-Z]{2}/.test(plain);
  const [form, check = () => true] = FORMS[country] ?? [/^/];
  return !isForeign && form.test(id) && check(id)
    ? { taxId: `${prefix}${id}` }
    : { fault: `Not a VAT id of ${country}: check its digits. It begins with ${prefix}.` };
}
