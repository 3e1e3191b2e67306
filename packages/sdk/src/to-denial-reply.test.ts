import { describe, expect, it } from "vitest";
import { DENIALS } from "./denials.ts";
import { toDenialReply } from "./to-denial-reply.ts";
import type { LimitState } from "./verification.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const LIMIT: LimitState = {
  name: "burst",
  kind: "rate_limit",
  scope: "tenant",
  limit: 10,
  remaining: 0,
  resetAt: "2026-01-01T00:00:29.200Z",
};

function denyWith(more: object, cost = 1) {
  const reply = { code: "RATE_LIMITED", requestId: "req_1", ...more };
  const answer = toDenialReply({ reply, cost, publicUrl: "https://t.test", epochMs: NOW });
  return { ...answer, json: JSON.parse(answer.body) };
}

describe("a denial", () => {
  it.each(Object.entries(DENIALS))("says %s", (code, { status, title }) => {
    const answer = denyWith({ code });
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({
      code,
      status,
      title,
      requestId: "req_1",
      error: answer.json.message,
      detail: answer.json.message,
    });
    const page = code.toLowerCase().replaceAll("_", "-");
    expect(answer.json.type).toBe(`https://t.test/docs/errors/${page}`);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    const challenge = code === "MISSING_KEY" ? "Bearer" : 'Bearer error="invalid_token"';
    expect(answer.headers["www-authenticate"]).toBe(status === 401 ? challenge : undefined);
  });

  it("refuses for a code of a newer server too, also one that an object has anyway", () => {
    for (const code of ["FROM_THE_FUTURE", "constructor", "__proto__"]) {
      expect(denyWith({ code }).status).toBe(403);
    }
  });

  it("names the quota without room for the cost", () => {
    const quota = { kind: "quota", resetAt: "2026-01-01T00:00:29.200Z" } as const;
    const limits: LimitState[] = [
      LIMIT,
      { ...LIMIT, ...quota, name: "requests", remaining: 5 },
      { ...LIMIT, ...quota, name: "requests", scope: "key", remaining: 4 },
    ];
    const answer = denyWith({ code: "QUOTA_EXCEEDED", limits }, 5);
    expect(answer.json).toMatchObject({
      limit: { name: "requests", scope: "key", limit: 10, remaining: 4 },
      resetAt: quota.resetAt,
    });
    expect(answer.headers).toMatchObject({
      "retry-after": "30",
      ratelimit: '"key:requests";r=4;t=30',
      "ratelimit-policy": '"key:requests";q=10',
    });
  });

  it("names the rate limit that is used up, for a call of any cost: it counts calls", () => {
    const limits: LimitState[] = [
      { ...LIMIT, name: "roomy", remaining: 4, resetAt: "2026-01-01T01:00:00Z" },
      { ...LIMIT, name: "requests", kind: "quota", resetAt: "2026-02-01T00:00:00Z" },
      { ...LIMIT, name: "tight" },
    ];
    const answer = denyWith({ limits }, 5);
    expect(answer.json).toMatchObject({
      limit: { name: "tight", scope: "tenant", limit: 10, remaining: 0 },
      resetAt: LIMIT.resetAt,
      upgradeUrl: "https://t.test/plans",
    });
    expect(answer.headers).toMatchObject({ "retry-after": "30", ratelimit: '"tight";r=0;t=30' });
  });

  it.each<[string, Partial<LimitState>[], string]>([
    [
      "until one call is there again, where the window is known",
      [
        { name: "an-hour", limit: 3_600, windowSeconds: 3_600, resetAt: "2026-01-01T01:00:00Z" },
        { name: "a-minute", limit: 1, windowSeconds: 60, resetAt: "2026-01-01T00:01:00Z" },
        { name: "a-second", limit: 1, windowSeconds: 1, resetAt: "2026-01-01T00:00:01Z" },
      ],
      "a-minute",
    ],
    [
      "until all of it is there again, where it is not",
      [
        { name: "a-second", resetAt: "2026-01-01T00:00:01Z" },
        { name: "a-minute", resetAt: "2026-01-01T00:01:00Z" },
      ],
      "a-minute",
    ],
    ["as long as the tenant's first", [{ name: "first" }, { name: "second" }], "first"],
  ])("names of several rate limits the one that takes longest: %s", (_, given, name) => {
    const limits = given.map((limit) => ({ ...LIMIT, ...limit }));
    expect(denyWith({ limits }).json.limit.name).toBe(name);
  });

  it("says what the server says about when to come back, and where to upgrade", () => {
    const answer = denyWith({
      limits: [LIMIT],
      retryAfterSeconds: 3,
      offer: { planId: "pro", name: "Pro", url: "https://console.test/plans#pro" },
    });
    expect(answer.headers).toMatchObject({ "retry-after": "3", ratelimit: '"burst";r=0;t=3' });
    expect(answer.json.upgradeUrl).toBe("https://console.test/plans#pro");
  });

  it("offers no plan against a limit that the tenant gave its key", () => {
    const answer = denyWith({ limits: [{ ...LIMIT, scope: "key" }] });
    expect(answer.json).not.toHaveProperty("upgradeUrl");
    expect(answer.headers["ratelimit"]).toBe('"key:burst";r=0;t=30');
  });

  it("writes no header that a name could break out of", () => {
    const answer = denyWith({ limits: [{ ...LIMIT, name: 'a"\r\nx-evil: 1' }] });
    expect(answer.headers).not.toHaveProperty("ratelimit");
  });
});
