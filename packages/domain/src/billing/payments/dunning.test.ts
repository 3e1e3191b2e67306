import { describe, expect, it } from "vitest";
import type { Invoice } from "../invoices/invoice.ts";
import {
  accessAt,
  DUNNING_DEFAULT,
  type DunningCalendar,
  isHardDecline,
  makeAttempts,
  nextDunningMs,
} from "./dunning.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const FAILED: DunningCalendar = {
  invoice: 0,
  firstFailedMs: 0,
  attemptsPassed: 0,
  isStopped: false,
};

function invoice(changes: Partial<Invoice> = {}): Invoice {
  return {
    number: "INV-2026-000001",
    issuedAtMs: 0,
    periodNumber: 1,
    lines: [],
    burns: [],
    net: 100n,
    taxes: [],
    groups: [],
    total: 100n,
    fromBalance: 0n,
    prepaid: 0n,
    paid: 0n,
    credited: 0n,
    isVoid: false,
    ...changes,
  };
}

describe("dunning", () => {
  it.each([
    [0, "overdue"],
    [20.99, "overdue"],
    [21, "grace"],
    [27.99, "grace"],
    [28, "blocked"],
  ])("after %d days an open invoice leaves access %s", (days, state) => {
    const at = { invoices: [invoice()], atMs: Math.floor(days * DAY_MS) };
    expect(accessAt([FAILED], DUNNING_DEFAULT, at)).toBe(state);
  });

  it.each([
    ["paid", { paid: 100n }],
    ["credited", { credited: 100n }],
    ["void", { isVoid: true }],
  ])("a %s invoice blocks nothing and is not tried again", (_how, settled) => {
    const invoices = [invoice(settled)];
    expect(accessAt([FAILED], DUNNING_DEFAULT, { invoices, atMs: 90 * DAY_MS })).toBe("current");
    const made = makeAttempts([FAILED], DUNNING_DEFAULT, { invoices, atMs: 2 * DAY_MS });
    expect(made.attempts).toEqual([]);
    expect(nextDunningMs([FAILED], DUNNING_DEFAULT, { invoices, afterMs: 0 })).toBeUndefined();
  });

  it("attempts on days 2, 7, 14 and 21, each for what is due then", () => {
    let calendars: readonly DunningCalendar[] = [FAILED];
    const attempts: [number, bigint][] = [];
    for (let day = 0; day <= 40; day += 1) {
      const invoices = [invoice({ paid: day < 10 ? 0n : 40n })];
      const made = makeAttempts(calendars, DUNNING_DEFAULT, { invoices, atMs: day * DAY_MS });
      calendars = made.calendars;
      attempts.push(
        ...made.attempts.map(({ atMs, amount }): [number, bigint] => [atMs / DAY_MS, amount]),
      );
    }
    expect(attempts).toEqual([
      [2, 100n],
      [7, 100n],
      [14, 60n],
      [21, 60n],
    ]);
  });

  it("stops at a hard decline, while access goes on as if it had not", () => {
    const stopped = { ...FAILED, isStopped: true };
    const at = { invoices: [invoice()], atMs: 30 * DAY_MS };
    expect(makeAttempts([stopped], DUNNING_DEFAULT, at).attempts).toEqual([]);
    expect(accessAt([stopped], DUNNING_DEFAULT, at)).toBe("blocked");
    expect(["lost_card", "card_declined", undefined].map(isHardDecline)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("is as bad as the worst open invoice", () => {
    const calendars = [FAILED, { ...FAILED, invoice: 1, firstFailedMs: 20 * DAY_MS }];
    const at = { invoices: [invoice(), invoice()], atMs: 21 * DAY_MS };
    expect(accessAt(calendars, DUNNING_DEFAULT, at)).toBe("grace");
  });
});
