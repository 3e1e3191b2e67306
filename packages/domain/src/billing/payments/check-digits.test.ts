import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findReferenceBodies,
  formatReference,
  parseBic,
  parseIban,
  toCreditorReference,
  toReferenceBody,
} from "./check-digits.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const isDigit = (character: string) => /^\d$/.test(character);
const body = fc
  .array(fc.constantFrom(...ALPHABET), { minLength: 1, maxLength: 21 })
  .map((characters) => characters.join(""));

describe("a reference of an invoice", () => {
  it("is that of ISO 11649", () => {
    // The standard's own example, and one of an invoice.
    expect(toCreditorReference("539007547034")).toBe("RF18539007547034");
    expect(formatReference(toCreditorReference("INV-2026-000001"))).toMatch(
      /^RF\d\d INV2 0260 0000 1$/,
    );
  });

  it("is found again in any text, spacing and case", () => {
    fc.assert(
      fc.property(
        body,
        fc.constantFrom("", " ", "Invoice ", "Rechnung Nr. ", "EREF+ "),
        fc.constantFrom("", " thank you", "/2026", " SVWZ+"),
        fc.boolean(),
        (number, before, after, isLower) => {
          const written = `${before}${formatReference(toCreditorReference(number))}${after}`;
          const text = isLower ? written.toLowerCase() : written;
          expect(findReferenceBodies(text)).toContain(number);
        },
      ),
    );
  });

  it("with one wrong digit or letter, or two swapped digits, is none", () => {
    fc.assert(
      fc.property(body, fc.nat(), fc.nat({ max: 35 }), (number, at, replacement) => {
        const reference = toCreditorReference(number);
        const place = 4 + (at % number.length);
        const other = ALPHABET.charAt(replacement);
        fc.pre(
          other !== reference.charAt(place) && isDigit(other) === isDigit(reference.charAt(place)),
        );
        const wrong = reference.slice(0, place) + other + reference.slice(place + 1);
        expect(findReferenceBodies(wrong)).not.toContain(wrong.slice(4));
        const [a, b] = [reference.charAt(place), reference.charAt(place + 1)];
        fc.pre(isDigit(a) && isDigit(b) && a !== b);
        const swapped = reference.slice(0, place) + b + a + reference.slice(place + 2);
        expect(findReferenceBodies(swapped)).not.toContain(swapped.slice(4));
      }),
    );
  });

  it("of a long number is of its end, where numbers differ", () => {
    expect(toReferenceBody("DEMO-acme-INV-2026-000001-and-more")).toHaveLength(21);
  });
});

describe("an account", () => {
  it.each([
    ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000"],
    ["gb29nwbk60161331926819", "GB29NWBK60161331926819"],
    ["DE89 3704 0044 0532 0130 01", undefined],
    ["DE98 3704 0044 0532 0130 00", undefined],
    ["DE89", undefined],
  ])("%s is read as %s", (text, iban) => {
    expect(parseIban(text)).toBe(iban);
  });

  it.each([
    ["cobadeff xxx", "COBADEFFXXX"],
    ["COBADEFF", "COBADEFF"],
    ["COBADEFFX", undefined],
  ])("%s is the BIC %s", (text, bic) => {
    expect(parseBic(text)).toBe(bic);
  });
});
