import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canBeginKey,
  ENVIRONMENTS,
  formatKey,
  KEY_IN_TEXT,
  KEY_KINDS,
  KEY_LENGTH_MAX,
  KEY_RANDOM_BYTES,
  parseKey,
} from "./key-format.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const kind = fc.constantFrom(...KEY_KINDS);
const bytes = fc.uint8Array({ minLength: KEY_RANDOM_BYTES, maxLength: KEY_RANDOM_BYTES, max: 247 });
const example = formatKey("live", new Uint8Array(KEY_RANDOM_BYTES).fill(7)).key;

describe("formatKey", () => {
  it("writes a key that parseKey reads back as its kind", () => {
    fc.assert(
      fc.property(kind, bytes, (ofKind, random) => {
        expect(parseKey(formatKey(ofKind, random).key)).toEqual({ form: "own", kind: ofKind });
      }),
    );
  });

  it("starts a key with its brand, its kind and four of its random characters", () => {
    fc.assert(
      fc.property(kind, bytes, (ofKind, random) => {
        const { key, start } = formatKey(ofKind, random);
        expect(start).toMatch(new RegExp(`^tp_${ofKind}_[0-9A-Za-z]{4}$`));
        expect(key.startsWith(start)).toBe(true);
        expect(key).toMatch(new RegExp(`^tp_${ofKind}_[0-9A-Za-z]{38}$`));
      }),
    );
  });

  it("draws every character with equal probability: four byte values map to each, the rest are skipped", () => {
    const counts = new Map<string, number>();
    for (let value = 0; value < 256; value += 1) {
      // The 31 bytes after a skipped one all spell 0, so the first character is the one for `value`.
      const random = new Uint8Array(33);
      random[0] = value;
      const first = formatKey("live", random).key.charAt("tp_live_".length);
      const became = value < 248 ? first : "skipped";
      counts.set(became, (counts.get(became) ?? 0) + 1);
    }
    expect(counts.get("skipped")).toBe(8);
    counts.delete("skipped");
    expect([...counts.keys()].sort().join("")).toBe([...BASE62].sort().join(""));
    expect(new Set(counts.values())).toEqual(new Set([4]));
  });

  it("skips biased bytes instead of folding them", () => {
    const plain = Uint8Array.from({ length: 40 }, (_, index) => index);
    const withBiased = Uint8Array.from([248, 255, ...plain]);
    expect(formatKey("test", withBiased).key).toBe(formatKey("test", plain).key);
  });

  it("refuses to write a key from too few usable bytes", () => {
    expect(() => formatKey("live", new Uint8Array(31))).toThrow(RangeError);
    expect(() => formatKey("live", new Uint8Array(KEY_RANDOM_BYTES).fill(250))).toThrow(RangeError);
  });

  it("ends in the base62 CRC-32 of the characters before it, which a secret scanner can check", () => {
    fc.assert(
      fc.property(kind, bytes, (ofKind, random) => {
        const { key } = formatKey(ofKind, random);
        let value = 0;
        for (const character of key.slice(-6)) {
          value = value * 62 + BASE62.indexOf(character);
        }
        expect(value).toBe(crc32(key.slice(0, -6)));
      }),
    );
  });
});

describe("parseKey", () => {
  it("refuses every key with one character changed", () => {
    fc.assert(
      fc.property(
        kind,
        bytes,
        fc.nat(),
        fc.constantFrom(...BASE62, "_", "-", " ", "é"),
        (ofKind, random, position, character) => {
          const { key } = formatKey(ofKind, random);
          const index = position % key.length;
          fc.pre(key[index] !== character);
          const changed = key.slice(0, index) + character + key.slice(index + 1);
          expect(parseKey(changed)).not.toMatchObject({ form: "own" });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("refuses every key with two neighbouring characters swapped", () => {
    fc.assert(
      fc.property(kind, bytes, fc.nat(), (ofKind, random, position) => {
        const { key } = formatKey(ofKind, random);
        const index = position % (key.length - 1);
        const [left = "", right = ""] = key.slice(index, index + 2);
        fc.pre(left !== right);
        const swapped = key.slice(0, index) + right + left + key.slice(index + 2);
        expect(parseKey(swapped)).not.toMatchObject({ form: "own" });
      }),
    );
  });

  it("never accepts arbitrary text as our own key, and never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(parseKey(text).form).not.toBe("own");
      }),
    );
  });

  it.each([
    ["", "malformed", "nothing was sent"],
    ["tp_", "malformed", "our brand alone"],
    ["tp_live_", "malformed", "no random part"],
    ["tp_prod_0123456789", "malformed", "our brand with a kind that does not exist"],
    [example.slice(0, -1), "malformed", "one character short"],
    [`${example}0`, "malformed", "one character long"],
    [` ${example}`, "foreign", "a leading space: not our format"],
    [example.toUpperCase(), "foreign", "another prefix: upper and lower case differ"],
    ["sk_live_abcdef", "foreign", "a key of another system, perhaps imported"],
    ["x".repeat(KEY_LENGTH_MAX), "foreign", "as long as a key may be"],
    ["x".repeat(KEY_LENGTH_MAX + 1), "malformed", "longer than any key"],
  ])("reads %j as %s: %s", (text, form) => {
    expect(parseKey(text).form).toBe(form);
  });
});

describe("canBeginKey", () => {
  it("is true for every prefix of a tenant's key and for every text without our brand", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ENVIRONMENTS),
        bytes,
        fc.nat(46),
        (environment, random, length) => {
          expect(canBeginKey(formatKey(environment, random).key.slice(0, length))).toBe(true);
        },
      ),
    );
    for (const start of ["", "t", "tp", "tpx_", "acme_", "TP_live", "atp_abc"]) {
      expect(canBeginKey(start), start).toBe(true);
    }
  });

  it.each([
    "tp_a",
    "tp_abc123",
    "tp_Live_",
    "tp_liv3",
    "tp_live-",
    "tp__live_",
    "tp_svc_",
    "tp_svc_a1B2",
  ])("is false of %s, which is refused unseen or is a service key's", (start) => {
    expect(canBeginKey(start)).toBe(false);
  });
});

describe("KEY_IN_TEXT", () => {
  it("finds a key in any surroundings, even right after an escape sequence", () => {
    fc.assert(
      fc.property(kind, bytes, fc.string(), fc.string(), (ofKind, random, before, after) => {
        const { key } = formatKey(ofKind, random);
        const line = JSON.stringify(`${before}\n${key}${after}`);
        expect(line.replace(KEY_IN_TEXT, "[gone]")).not.toContain(key.slice(8, 40));
      }),
    );
  });

  it("skips the start of a key, which is shown to identify it", () => {
    const { start } = formatKey("test", new Uint8Array(KEY_RANDOM_BYTES));
    expect(start.replace(KEY_IN_TEXT, "[gone]")).toBe(start);
  });
});
