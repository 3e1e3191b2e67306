import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ID_PREFIXES, type IdKind, isId, SLUG_PATTERN, toId } from "./ids.ts";

const kinds = Object.keys(ID_PREFIXES) as IdKind[];
const kind = fc.constantFrom(...kinds);

describe("toId", () => {
  it("gives the same id for a UUID with or without dashes, in upper or lower case", () => {
    fc.assert(
      fc.property(kind, fc.uuid(), (ofKind, uuid) => {
        const id = toId(ofKind, uuid);
        expect(id).toBe(toId(ofKind, uuid.replaceAll("-", "").toUpperCase()));
        expect(isId(ofKind, id)).toBe(true);
      }),
    );
  });

  it("keeps the order of the UUIDs, so that ids sort by creation", () => {
    fc.assert(
      fc.property(kind, fc.uuid({ version: 7 }), fc.uuid({ version: 7 }), (ofKind, one, two) => {
        expect(toId(ofKind, one) < toId(ofKind, two)).toBe(one < two);
      }),
    );
  });

  it("gives every kind a prefix of its own", () => {
    expect(new Set(Object.values(ID_PREFIXES)).size).toBe(kinds.length);
  });
});

describe("isId", () => {
  it("accepts an id only for its own kind", () => {
    fc.assert(
      fc.property(kind, kind, fc.uuid(), (ofKind, other, uuid) => {
        fc.pre(ofKind !== other);
        expect(isId(other, toId(ofKind, uuid))).toBe(false);
      }),
    );
  });

  it.each([
    ["", "empty"],
    ["ten_", "no body"],
    ["ten_0199f3b0c1d27a4e8f6011223344556", "a digit short"],
    ["ten_0199f3b0c1d27a4e8f601122334455667", "a digit long"],
    ["ten_0199F3B0C1D27A4E8F60112233445566", "upper case: one thing has one name"],
    ["ten_0199f3b0-c1d2-7a4e-8f60-112233445566", "dashes"],
    ["ten_0199f3b0c1d27a4e8f6011223344556g", "not hexadecimal"],
    ["ten_0199f3b0c1d27a4e8f60112233445566\n", "a line end behind it"],
    ["TEN_0199f3b0c1d27a4e8f60112233445566", "the prefix in upper case"],
    [" ten_0199f3b0c1d27a4e8f60112233445566", "a blank before it"],
  ])("refuses %j: %s", (text) => {
    expect(isId("tenant", text)).toBe(false);
  });
});

describe("SLUG_PATTERN", () => {
  it.each(["a", "free", "plan-24", `a${"b".repeat(63)}`])("takes %s", (slug) => {
    expect(SLUG_PATTERN.test(slug)).toBe(true);
  });
  it.each(["", "1a", "-a", "A", "a_b", "a.b", "a/b", "ä", "a\n", `a${"b".repeat(64)}`])(
    "refuses %j",
    (slug) => {
      expect(SLUG_PATTERN.test(slug)).toBe(false);
    },
  );
});
