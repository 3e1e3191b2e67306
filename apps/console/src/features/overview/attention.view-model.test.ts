import { describe, expect, it } from "vitest";
import { toAttention } from "./attention.view-model.ts";

const NOW_MS = Date.parse("2026-11-21T12:00:00.000Z");
const NOTHING = { suspendedAt: null, limits: undefined, keys: [], nowMs: NOW_MS };

function limitsWith(quota: { used: string; remaining: string; environment?: "live" | "test" }) {
  return {
    planId: "free",
    planVersion: 1,
    rateLimits: [],
    quotas: [
      {
        meter: "requests",
        environment: "live" as const,
        kind: "hard" as const,
        limit: 1_000,
        leased: "0",
        forfeited: "0",
        periodStart: "2026-11-01T00:00:00.000Z",
        resetAt: "2026-12-01T00:00:00.000Z",
        ...quota,
      },
    ],
  };
}

const titlesOf = (input: Partial<Parameters<typeof toAttention>[0]>) =>
  toAttention({ ...NOTHING, ...input }).map(({ title }) => title);

describe("toAttention", () => {
  it("is quiet when nothing needs a look", () => {
    expect(titlesOf({ limits: limitsWith({ used: "799", remaining: "201" }) })).toEqual([]);
  });

  it("warns when a live quota is tight and says when it is used up; test keys are no matter", () => {
    expect(titlesOf({ limits: limitsWith({ used: "800", remaining: "200" }) })).toEqual([
      "80.0% of requests is used",
    ]);
    expect(titlesOf({ limits: limitsWith({ used: "1000", remaining: "0" }) })).toEqual([
      "The quota of requests is used up",
    ]);
    const test = limitsWith({ used: "1000", remaining: "0", environment: "test" });
    expect(titlesOf({ limits: test })).toEqual([]);
  });

  it("names active keys that end within two weeks", () => {
    const key = { keyId: "key_1", name: "Worker", state: "active" };
    const endsOn = (expiresAt: string | null, state = "active") =>
      titlesOf({ keys: [{ ...key, state, expiresAt }] });
    expect(endsOn("2026-12-05T12:00:00.000Z")).toEqual(["Worker expires on Dec 5"]);
    expect(endsOn("2026-12-05T12:00:01.000Z")).toEqual([]);
    expect(endsOn(null)).toEqual([]);
    expect(endsOn("2026-11-22T00:00:00.000Z", "revoked")).toEqual([]);
  });

  it("puts what stops calls first", () => {
    const keys = [
      { keyId: "key_1", name: "Worker", state: "active", expiresAt: "2026-11-22T00:00:00.000Z" },
    ];
    const titles = titlesOf({ keys, suspendedAt: "2026-11-20T00:00:00.000Z" });
    expect(titles[0]).toBe("This tenant is suspended");
    expect(titles).toHaveLength(2);
  });
});
