import { describe, expect, it } from "vitest";
import type { Key, KeySummary } from "./api-keys.queries.ts";
import {
  findLastUse,
  findShortcut,
  foresee,
  isEndingSoon,
  toLimitTexts,
  toMakerName,
  toMaskedKey,
  toOffers,
  toShortId,
  toStateBadge,
  toTrendLabel,
  toUseSentence,
} from "./key.view-model.ts";
import { MAKER_ID, makeKey } from "./keys.fixture.ts";

const NOW_MS = Date.parse("2026-11-21T12:00:00.000Z");
const successor = makeKey(2).keyId;

const summary = (change: Partial<KeySummary>): KeySummary => ({
  keyId: makeKey(1).keyId,
  lastUsedAt: "2026-11-21T11:00:00.000Z",
  requests: 0,
  denied: 0,
  requestsByDay: [],
  ...change,
});

describe("toOffers", () => {
  it.each<[string, Partial<Key>, string[]]>([
    ["an active key", {}, ["edit", "roll", "disable", "revoke"]],
    ["a rolled key", { rolledToKeyId: successor }, ["edit", "disable", "revoke"]],
    ["a disabled key", { state: "disabled" }, ["edit", "enable", "revoke"]],
    ["an expired key", { state: "expired" }, ["edit", "revoke"]],
    ["a revoked key", { state: "revoked" }, []],
  ])("offers for %s what the server accepts", (_, change, offered) => {
    const offers = Object.entries(toOffers(makeKey(1, change)));
    expect(offers.flatMap(([kind, isOffered]) => (isOffered ? [kind] : []))).toEqual(offered);
  });
});

describe("foresee", () => {
  it("predicts what the server will answer", () => {
    expect(foresee(makeKey(1), "disable", NOW_MS).state).toBe("disabled");
    expect(foresee(makeKey(1, { state: "disabled" }), "enable", NOW_MS).state).toBe("active");
    expect(foresee(makeKey(1), "revoke", NOW_MS)).toMatchObject({
      state: "revoked",
      revokedAt: "2026-11-21T12:00:00.000Z",
    });
  });
});

describe("toStateBadge", () => {
  it("distinguishes a replaced key that still works from one that was not replaced", () => {
    expect(toStateBadge(makeKey(1)).label).toBe("Active");
    expect(toStateBadge(makeKey(1, { rolledToKeyId: successor })).label).toBe("Rolled");
    expect(toStateBadge(makeKey(1, { rolledToKeyId: successor, state: "expired" })).label).toBe(
      "Expired",
    );
  });
});

describe("a shortened key", () => {
  it("shows only what is safe to show", () => {
    expect(toMaskedKey(makeKey(1))).toBe("tp_live_ab…x7Q1");
    expect(toShortId(makeKey(12).keyId)).toBe("key_00000000…0012");
  });
});

describe("isEndingSoon", () => {
  it.each([
    ["2026-11-28T11:59:59.000Z", true],
    ["2026-11-28T12:00:00.000Z", false],
    [null, false],
  ])("of %s is %s", (expiresAt, isSoon) => {
    expect(isEndingSoon(makeKey(1, { expiresAt }), NOW_MS)).toBe(isSoon);
  });

  it("does not warn about a key that no longer works", () => {
    const key = makeKey(1, { state: "revoked", expiresAt: "2026-11-22T00:00:00.000Z" });
    expect(isEndingSoon(key, NOW_MS)).toBe(false);
  });
});

describe("toMakerName", () => {
  const people = new Map([[MAKER_ID, "Ada"]]);
  it.each([
    [`user:${MAKER_ID}`, "Ada"],
    ["user:usr_gone", "A former member"],
    ["key:key_1", "An API key"],
    ["service_key:svc_1", "The operator’s program"],
    ["operator", "The operator"],
    ["robot:r2", "robot:r2"],
  ])("of %s is %s", (createdBy, name) => {
    expect(toMakerName(createdBy, people)).toBe(name);
  });
});

describe("the usage of a key, in words", () => {
  it("gives the range and the current day", () => {
    expect(toTrendLabel(summary({ requests: 1234, requestsByDay: [1200, 34] }))).toBe(
      "1,234 requests in 2 days, 34 today",
    );
    expect(toTrendLabel(summary({ requestsByDay: [0, 0] }))).toBe("No requests in 2 days");
  });

  it("says what ending the key stops, and nothing until that is known", () => {
    expect(toUseSentence(undefined)).toBe(undefined);
    expect(toUseSentence(summary({ lastUsedAt: null }))).toMatch(/It has never been used/);
    expect(toUseSentence(summary({}))).toMatch(/not been used in the last 14 days/);
    expect(toUseSentence(summary({ requests: 1 }))).toMatch(/1 request in/);
    expect(toUseSentence(summary({ requests: 12_000 }))).toMatch(/12,000 requests in/);
  });
});

describe("toLimitTexts", () => {
  it("lists the key's own limits, and nothing for a key without any", () => {
    const limits = {
      rateLimits: [{ name: "burst", limit: 1200, windowSeconds: 60 }],
      quotas: [{ meter: "requests", limit: 5000 }],
      concurrency: 1,
    };
    expect(toLimitTexts(limits)).toEqual([
      "burst: 1,200 calls in 60 s",
      "requests: 5,000 in a billing period",
      "1 call at once",
    ]);
    expect(toLimitTexts(makeKey(1))).toEqual([]);
  });
});

describe("findShortcut", () => {
  it("runs only the actions that the menu offers", () => {
    const active = toOffers(makeKey(1));
    expect(findShortcut("e", active)).toBe("edit");
    expect(findShortcut("R", active)).toBe("roll");
    expect(findShortcut("d", active)).toBe("disable");
    expect(findShortcut("d", toOffers(makeKey(1, { state: "disabled" })))).toBe("enable");
    expect(findShortcut("Delete", active)).toBe("revoke");
    expect(findShortcut("x", active)).toBe(undefined);
    const revoked = toOffers(makeKey(1, { state: "revoked" }));
    for (const press of ["e", "r", "d", "Delete"]) {
      expect(findShortcut(press, revoked)).toBe(undefined);
    }
  });
});

describe("findLastUse", () => {
  it("never reports a use from before the key was created, although uses are rounded to the minute", () => {
    const key = makeKey(1, { createdAt: "2026-11-21T11:00:40.000Z" });
    const used = (lastUsedAt: string | null) => findLastUse(key, summary({ lastUsedAt }));
    expect(used("2026-11-21T11:00:00.000Z")).toBe("2026-11-21T11:00:40.000Z");
    expect(used("2026-11-21T11:02:00.000Z")).toBe("2026-11-21T11:02:00.000Z");
    expect(used(null)).toBe(undefined);
  });
});
