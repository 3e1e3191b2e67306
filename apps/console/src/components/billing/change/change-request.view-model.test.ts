import { describe, expect, it } from "vitest";
import { type ChangeRequest, toAction, toFirstDetails } from "./change-request.view-model.ts";

const PRO = { planId: "pro", name: "Pro" };
const actionOf = (request: ChangeRequest, more: object = {}) =>
  toAction(request, { ...toFirstDetails(request), ...more });

describe("toAction", () => {
  it("leaves the time of a change of plans to the engine until one is chosen", () => {
    expect(actionOf({ do: "change", ...PRO })).toEqual({ do: "change", planId: "pro" });
    expect(actionOf({ do: "change", ...PRO }, { when: "now" })).toEqual({
      ...{ do: "change", planId: "pro", when: "now" },
    });
  });

  it("begins a plan at once, or at midnight UTC of the day that was chosen", () => {
    expect(actionOf({ do: "subscribe", ...PRO })).toEqual({ do: "subscribe", planId: "pro" });
    expect(actionOf({ do: "subscribe", ...PRO }, { startsOn: "2026-12-01" })).toEqual({
      ...{ do: "subscribe", planId: "pro", startsAt: "2026-12-01T00:00:00Z" },
    });
    expect(actionOf({ do: "cancelStart", name: "Pro" })).toEqual({ do: "cancel", when: "now" });
  });

  it("cancels and pauses at the end of the period unless told otherwise", () => {
    expect(actionOf({ do: "cancel", name: "Pro" })).toEqual({ do: "cancel", when: "period_end" });
    expect(actionOf({ do: "pause", name: "Pro" }, { when: "now" })).toEqual({
      ...{ do: "pause", when: "now" },
    });
    expect(actionOf({ do: "cancel", name: "Pro" }, { reason: "  Too slow. " })).toEqual({
      ...{ do: "cancel", when: "period_end", reason: "Too slow." },
    });
  });

  it("drops a pending change by changing to the plan in force", () => {
    expect(actionOf({ do: "keep", ...PRO })).toEqual({ do: "change", planId: "pro" });
  });

  it("asks nothing while seats or a coupon are missing, or the seats are as they were", () => {
    const seats: ChangeRequest = { do: "seats", card: "seats", name: "Seats", quantity: "3" };
    for (const value of [null, 3, 2.5, -1]) {
      expect(actionOf(seats, { seats: value })).toBe(undefined);
    }
    expect(actionOf(seats, { seats: 4 })).toEqual({ do: "seats", card: "seats", quantity: "4" });
    expect(actionOf({ do: "coupon" }, { couponId: "  " })).toBe(undefined);
    expect(actionOf({ do: "coupon" }, { couponId: " spring " })).toEqual({
      ...{ do: "coupon", couponId: "spring" },
    });
  });
});
