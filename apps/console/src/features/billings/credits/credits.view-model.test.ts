import { describe, expect, it } from "vitest";
import { makeCreditGrant, makeCredits } from "./credits.fixture.ts";
import type { Credits } from "./credits.queries.ts";
import {
  describeAlerts,
  describeAutomatic,
  describeEntry,
  describeGrant,
  listLiveGrants,
  toDrawView,
} from "./credits.view-model.ts";

describe("a grant of credit", () => {
  it("says from when and until when it may be used", () => {
    const says = (part: Parameters<typeof makeCreditGrant>[0]) =>
      describeGrant(makeCreditGrant(part));
    const [effectiveAt, expiresAt] = ["2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"];
    expect(says({})).toBe("Does not expire");
    expect(says({ expiresAt })).toBe("Expires Jan 1, 2027");
    expect(says({ state: "upcoming", effectiveAt, expiresAt })).toBe(
      "From Dec 1, 2026, expires Jan 1, 2027",
    );
    expect(says({ state: "expired", expiresAt })).toBe("Expired Jan 1, 2027");
  });

  it("is listed while something of it is left", () => {
    const grants = [
      makeCreditGrant({ reason: "left" }),
      makeCreditGrant({ left: "0.00", state: "used" }),
      makeCreditGrant({ state: "expired" }),
    ];
    expect(listLiveGrants(makeCredits({ grants })).map(({ reason }) => reason)).toEqual(["left"]);
  });
});

describe("the history of credit", () => {
  it("names the invoice, or the reason", () => {
    const entry = {
      ...{ entryId: "1", grantId: "g", grantKind: "prepaid" as const, amount: "-1.00" },
      ...{ at: "2026-12-01T00:00:00.000Z", invoiceId: null, actor: "system:billing" },
      ...{ invoiceNumber: "INV-2026-000001", reason: "Welcome." },
    };
    const says = (kind: "granted" | "burned" | "returned" | "revoked", isInvoice = true) =>
      describeEntry({ ...entry, kind, ...(isInvoice ? {} : { invoiceNumber: null }) });
    expect([says("granted"), says("granted", false), says("burned"), says("returned")]).toEqual([
      "Bought with INV-2026-000001",
      "Granted: Welcome.",
      "Used by INV-2026-000001",
      "Given back: INV-2026-000001 is void",
    ]);
    expect(says("revoked", false)).toBe("Taken back: Welcome.");
  });

  it("says what is bought by itself", () => {
    const automatic = {
      ...{ threshold: "20.00", amount: "50.00", monthLimit: "120.00", boughtThisMonth: "50.00" },
    };
    expect(describeAutomatic(makeCredits({ automatic }))).toBe(
      "Below $20.00, $50.00 is bought by itself: $50.00 of at most $120.00 this month.",
    );
  });
});

describe("credit that calls draw on", () => {
  it("says when notices go out", () => {
    const says = (shares: number[], below: string | null) =>
      describeAlerts(makeCredits({ alerts: { shares, below } }));
    expect(says([50, 20, 0], null)).toBe("Notices go out at 50%, 20%, and 0% of it.");
    expect(says([0], "5.00")).toBe("Notices go out at 0%, and at less than $5.00 of it.");
    expect(says([], null)).toBe("No notices go out.");
  });

  const view = (draw: Partial<NonNullable<Credits["draw"]>>) =>
    toDrawView(
      makeCredits({ draw: { drawn: "6.00", left: "2.00", isEmpty: false, meters: [], ...draw } }),
      (meter) => (meter === "requests" ? "request" : meter),
    );

  it("says what is left, and for how much of each meter", () => {
    const meters = [
      { meter: "requests", unitsLeft: "1500" },
      { meter: "image", unitsLeft: "1000000000000000" },
    ];
    expect(view({ meters })).toMatchObject({
      ...{ left: "$2.00", share: 0.25, isEmpty: false },
      says: "Calls draw on it as they happen. Enough for 1,500 requests or any number of images. At zero, calls that cost something are denied until credit is added.",
    });
    expect(toDrawView(makeCredits(), String)).toBeUndefined();
  });

  it("says which calls are denied once it is used up", () => {
    const stopped = { meter: "image", unitsLeft: "0" };
    const some = view({ isEmpty: true, meters: [{ meter: "requests", unitsLeft: "3" }, stopped] });
    expect(some?.says).toMatch(/^Calls of image are denied until credit is added\./);
    const all = view({ isEmpty: true, left: "0.00", meters: [stopped] });
    expect(all?.says).toMatch(/^Calls that cost something are denied/);
    expect(all?.share).toBe(0);
  });
});
