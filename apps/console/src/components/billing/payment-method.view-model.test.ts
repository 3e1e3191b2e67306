import { describe, expect, it } from "vitest";
import { nameMethod } from "./payment-method.view-model.ts";

describe("a way to pay", () => {
  it.each([
    [{ type: "card", brand: "visa", last4: "4242" }, "Visa ending in 4242"],
    [{ type: "sepa_debit", brand: null, last4: "4242" }, "SEPA direct debit ending in 4242"],
    [{ type: "new_thing", brand: null, last4: null }, "New thing"],
  ])("is named by its brand and its last digits, else by its type: %o", (method, name) => {
    expect(nameMethod(method)).toBe(name);
  });
});
