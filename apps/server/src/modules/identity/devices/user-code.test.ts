import { USER_CODE_ALPHABET } from "@turnpike/contract/device-sign-ins";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeUserCode, parseUserCode, showUserCode, USER_CODE_BYTES } from "./user-code.ts";

describe("a user code", () => {
  it("is read as it is shown, in any case and with any dashes and spaces", () => {
    const bytes = fc.uint8Array({
      minLength: USER_CODE_BYTES,
      maxLength: USER_CODE_BYTES,
      max: 239,
    });
    fc.assert(
      fc.property(bytes, (drawn) => {
        const code = makeUserCode(drawn);
        expect(code).toMatch(new RegExp(`^[${USER_CODE_ALPHABET}]{8}$`));
        const shown = showUserCode(code);
        expect(shown).toMatch(/^.{4}-.{4}$/);
        for (const typed of [shown, shown.toLowerCase(), ` ${code} `, [...code].join("-")]) {
          expect(parseUserCode(typed)).toBe(code);
        }
      }),
    );
  });

  it("is nothing else", () => {
    for (const typed of ["", "BCDF-GHJ", "BCDF-GHJKL", "AEIO-UAEI", "BCDF-GHJ0", "ßßßßßßßß"]) {
      expect(parseUserCode(typed), typed).toBeUndefined();
    }
  });

  it("favours no letter", () => {
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const counts = new Map<string, number>();
    for (const byte of every) {
      for (const letter of makeUserCode(Uint8Array.of(byte))) {
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
      }
    }
    expect(new Set(counts.values())).toEqual(new Set([12]));
    expect(counts.size).toBe(USER_CODE_ALPHABET.length);
  });
});
