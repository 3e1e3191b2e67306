import { expect, it } from "vitest";
import { findStripeKeyMistake } from "./stripe-key.ts";

it("takes a key in its own environment only, and never repeats it", () => {
  const keys = ["rk_live_Canary0001", "sk_test_Canary0001", "pk_live_Canary0001", "Canary0001", ""];
  const mistakes = keys.map((key) => [
    findStripeKeyMistake(key, "live"),
    findStripeKeyMistake(key, "test"),
  ]);
  expect(mistakes.map((pair) => pair.map((mistake) => mistake === undefined))).toEqual([
    [true, false],
    [false, true],
    [false, false],
    [false, false],
    [false, false],
  ]);
  expect(mistakes.flat().join(" ")).not.toContain("Canary");
  expect(mistakes[0]?.[1]).toContain("rk_test_");
});
