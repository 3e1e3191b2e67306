import { describe, expect, it } from "vitest";
import { toInitials } from "./initials.tsx";

describe("toInitials", () => {
  it.each([
    ["Acme Weather", "AW"],
    ["ada@example.com", "AE"],
    ["🇩🇪 Karten", "🇩🇪"],
    ["Karten 🗺️", "K"],
    ["👩‍👩‍👧‍👦👩‍🚀", "👩‍👩‍👧‍👦"],
    ["", ""],
  ])("of %s are %s: signs are never cut in two", (name, initials) => {
    expect(toInitials(name)).toBe(initials);
  });
});
