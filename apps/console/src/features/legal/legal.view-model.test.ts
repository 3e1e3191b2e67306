import { describe, expect, it } from "vitest";
import { formatDay, toContents, toLegalHead } from "./legal.view-model.ts";

const heading = (depth: number, id: string) => ({ depth, id, text: id });

describe("a legal text", () => {
  it("was changed on the same day in every time zone of a reader", () => {
    expect(formatDay("2026-03-04")).toBe("March 4, 2026");
    expect(formatDay("2026-12-31")).toBe("December 31, 2026");
  });

  it("lists its sections, not what is below them, from three on", () => {
    const sections = [heading(2, "a"), heading(3, "a1"), heading(2, "b"), heading(2, "c")];
    expect(toContents(sections).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(toContents(sections.slice(0, 3))).toEqual([]);
    expect(toContents([])).toEqual([]);
    const deep = ["x", "y", "z"].map((id) => heading(3, id));
    expect(toContents(deep)).toEqual(deep);
  });

  it("is named with the product", () => {
    const head = toLegalHead("terms", { brand: { name: "Acme" } }, { title: "T" });
    expect(head).toEqual({ title: "T · Acme", description: expect.stringContaining("Acme") });
  });
});
