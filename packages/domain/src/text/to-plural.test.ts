import { describe, expect, it } from "vitest";
import { toPlural } from "./to-plural.ts";

describe("a unit", () => {
  it.each([
    ["request", "requests"],
    ["query", "queries"],
    ["key", "keys"],
    ["batch", "batches"],
    ["MB", "MB"],
    ["tokens", "tokens"],
  ])("%s is counted as %s", (unit, plural) => {
    expect(toPlural(unit)).toBe(plural);
  });
});
