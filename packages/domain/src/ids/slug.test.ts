import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SLUG_PATTERN, toId } from "./ids.ts";
import { slugFrom, slugsToTry } from "./slug.ts";

describe("slugFrom", () => {
  it.each([
    ["Acme", "acme"],
    ["Café Zürich 24", "cafe-zurich-24"],
    ["24 hours", "t-24-hours"],
    ["Straße", "strasse"],
    ["  spaced   out  ", "spaced-out"],
    ["--dashes--", "dashes"],
    ["株式会社", "tenant"],
    ["🚚", "tenant"],
    ["", "tenant"],
    ["A/B\\C..D", "a-b-c-d"],
    ["ﬁne ＡＢＣ", "fine-abc"],
  ])("makes of %j the slug %j", (name, slug) => {
    expect(slugFrom(name)).toBe(slug);
  });

  it("makes a slug of any name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (name) => {
        expect(slugFrom(name)).toMatch(SLUG_PATTERN);
      }),
    );
  });

  it("keeps a slug that it made", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (name) => {
        expect(slugFrom(slugFrom(name))).toBe(slugFrom(name));
      }),
    );
  });

  it("truncates a long name without a trailing dash", () => {
    const slug = slugFrom(`${"long-".repeat(30)}`);
    expect(slug.length).toBeLessThanOrEqual(64);
    expect(slug.endsWith("-")).toBe(false);
  });
});

describe("slugsToTry", () => {
  const tenantId = toId("tenant", "0199f3b0-c1d2-7a4e-8f60-11221f0c9a7e");

  it("counts to ten, then appends characters of the tenant's id", () => {
    const slugs = slugsToTry("acme", tenantId);
    expect(slugs).toHaveLength(11);
    expect(slugs.slice(0, 3)).toEqual(["acme", "acme-2", "acme-3"]);
    expect(slugs.slice(-2)).toEqual(["acme-10", "acme-1f0c9a7e"]);
  });

  it("makes different slugs even of the longest one", () => {
    const slugs = slugsToTry("a".repeat(64), tenantId);
    expect(new Set(slugs).size).toBe(11);
    for (const slug of slugs) {
      expect(slug).toMatch(SLUG_PATTERN);
    }
  });
});
