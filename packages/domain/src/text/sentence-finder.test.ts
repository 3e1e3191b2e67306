import { describe, expect, it } from "vitest";
import { createSentenceFinder, toMessageId } from "./sentence-finder.ts";

const find = createSentenceFinder([
  "The tenant is suspended.",
  "At most {0} keys in a call.",
  "At most {0}.",
  "Limit {0} in one card: {1} limits it already.",
  "{0}{1} rose.",
  `Give one of them, such as ${toMessageId('{ "days": 14 }')}.`,
]);

describe("a sentence", () => {
  it("is found with its values", () => {
    expect(find("The tenant is suspended.")).toMatchObject({ values: [] });
    expect(find("Limit calls in one card: the base limits it already.")).toEqual({
      id: "Limit {0} in one card: {1} limits it already.",
      values: ["calls", "the base"],
      ownLength: "Limit  in one card:  limits it already.".length,
    });
  });

  it("is the one with most words of its own, where several fit", () => {
    expect(find("At most 20 keys in a call.")?.id).toBe("At most {0} keys in a call.");
    expect(find("At most 20 apples.")?.id).toBe("At most {0}.");
  });

  it("ends with its line: the next one is no part of a value", () => {
    expect(find("At most 20.\nThe tenant is gone.")).toBeUndefined();
  });

  it("may hold braces that are no places", () => {
    expect(find('Give one of them, such as { "days": 14 }.')).toMatchObject({ values: [] });
  });

  it("is not found where a place is empty, a word differs, or no one can tell the values apart", () => {
    for (const text of ["At most .", "The tenant was suspended.", "Calls of a rose.", ""]) {
      expect(find(text), text).toBeUndefined();
    }
  });

  it("is looked for in time that grows with the text alone", () => {
    // Backtracking would never come to an end here.
    expect(find(`Limit ${" in one card: ".repeat(20_000)}`)).toBeUndefined();
  });
});
