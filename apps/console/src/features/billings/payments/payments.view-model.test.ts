import { describe, expect, it } from "vitest";
import { makeAttempt, makeMethod } from "./payments.fixture.ts";
import { describeAttempt, describeExpiry, listBankFacts } from "./payments.view-model.ts";

describe("a way to pay", () => {
  it("is good until the end of its month, and is pointed out six weeks before", () => {
    const card = makeMethod({ expiresMonth: 11, expiresYear: 2026 });
    expect(describeExpiry(card, Date.UTC(2026, 8, 1))).toEqual({
      text: "Expires 11/2026.",
      isUrgent: false,
    });
    expect(describeExpiry(card, Date.UTC(2026, 10, 30))?.text).toBe("Expires soon, 11/2026.");
    expect(describeExpiry(card, Date.UTC(2026, 11, 1))?.text).toContain("Expired 11/2026");
    expect(describeExpiry(makeMethod({ expiresMonth: null }), 0)).toBeUndefined();
  });
});

describe("an attempt to collect", () => {
  it("says what it came to", () => {
    expect(describeAttempt(makeAttempt())).toBe("$49.00 paid on Jul 1, 2026.");
    expect(describeAttempt(makeAttempt({ state: "failed", message: "Card declined." }))).toBe(
      "$49.00 failed on Jul 1, 2026: Card declined.",
    );
    expect(describeAttempt(makeAttempt({ state: "unknown" }))).toContain("is being processed");
  });
});

describe("a transfer", () => {
  it("lists what there is, and the reference last", () => {
    const account = { holder: "Example", iban: "DE00", bic: null, bank: null, lines: [] };
    expect(listBankFacts(account, "RF18").map(({ label }) => label)).toEqual([
      "Account holder",
      "IBAN",
      "Reference",
    ]);
  });
});
