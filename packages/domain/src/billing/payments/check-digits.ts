/** Remainder by 97 of letters and digits, as ISO 7064 (MOD 97-10) reads them: A is 10, Z is 35. */
function remainderOf(text: string): number {
  let remainder = 0;
  for (const character of text) {
    for (const digit of Number.parseInt(character, 36).toString()) {
      remainder = (remainder * 10 + Number(digit)) % 97;
    }
  }
  return remainder;
}

/** True when a text whose first four characters are a code and check digits is as it was issued. */
function hasGoodDigits(text: string): boolean {
  return remainderOf(text.slice(4) + text.slice(0, 4)) === 1;
}

const REFERENCE_LENGTH = 21;

/** Letters and digits of a number, as a reference has them: the last 21 of them. */
export function toReferenceBody(number: string): string {
  return number
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
    .slice(-REFERENCE_LENGTH);
}

/**
 * The reference by which a transfer names an invoice, with check digits: ISO 11649, `RF` and at most 23 more characters.
 *
 * @param number - Of the invoice; it has a letter or digit.
 */
export function toCreditorReference(number: string): string {
  const body = toReferenceBody(number);
  const digits = 98 - remainderOf(`${body}RF00`);
  return `RF${String(digits).padStart(2, "0")}${body}`;
}

/** A reference in groups of four, as people read and type it. */
export function formatReference(reference: string): string {
  return reference.replace(/(.{4})(?=.)/g, "$1 ");
}

/**
 * Finds the references in what a payer wrote, written in any way: with spaces, dashes, lower case.
 *
 * @returns The bodies of those whose check digits are right, each once.
 */
export function findReferenceBodies(text: string): string[] {
  const plain = text.toUpperCase().replace(/[^A-Z0-9]/g, "");
  const bodies = new Set<string>();
  for (let from = plain.indexOf("RF"); from >= 0; from = plain.indexOf("RF", from + 1)) {
    // What follows a reference may have been joined to it: each length is a candidate, the longest first.
    for (let length = REFERENCE_LENGTH; length >= 1; length -= 1) {
      const candidate = plain.slice(from, from + 4 + length);
      if (
        candidate.length === 4 + length &&
        /^RF\d\d/.test(candidate) &&
        hasGoodDigits(candidate)
      ) {
        bodies.add(candidate.slice(4));
      }
    }
  }
  return [...bodies];
}

/** An IBAN without spaces, in capitals; `undefined` when it is none: its form or its check digits are wrong. */
export function parseIban(text: string): string | undefined {
  const iban = text.toUpperCase().replace(/\s/g, "");
  return /^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(iban) && hasGoodDigits(iban) ? iban : undefined;
}

/** A BIC in capitals; `undefined` when it has not the form of one. */
export function parseBic(text: string): string | undefined {
  const bic = text.toUpperCase().replace(/\s/g, "");
  return /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic) ? bic : undefined;
}
