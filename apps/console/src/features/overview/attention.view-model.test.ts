import { describe, expect, it } from "vitest";
import { toAttention } from "./attention.view-model.ts";

const NOTHING = {
  suspendedAt: null,
  subscription: undefined,
  limits: undefined,
  meters: [
    { meterId: "requests", name: "Requests", unit: "request", aggregation: "count" as const },
    {
      meterId: "tokens",
      name: "Tokens of models",
      unit: "token",
      aggregation: "sum" as const,
      eventType: "llm.call",
    },
  ],
  keys: [],
  hasMoreKeys: false,
  endingKeys: [],
  hasMoreEndingKeys: false,
  lastDay: undefined,
  alerts: [],
  webhooks: [],
};

const NO_CHANGE = { change: null, pausesAt: null, endsAt: null };

const ENDING = {
  keyId: "key_1",
  name: "Worker",
  expiresAt: "2026-11-22T00:00:00.000Z",
  rolledToKeyId: null,
};

function limitsWith(quota: {
  used: string;
  remaining: string;
  environment?: "live" | "test";
  kind?: "hard" | "soft";
  meter?: string;
}) {
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
        locked: "0",
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
  it("says that the credit of a prepaid plan is used up", () => {
    const subscription = { standing: "current" as const, planName: "Pro", pending: NO_CHANGE };
    expect(titlesOf({ subscription: { ...subscription, standing: "out_of_credit" } })).toEqual([
      "The credit is used up",
    ]);
    expect(titlesOf({ subscription })).toEqual([]);
  });

  it("names a plan that is going to end, with the day", () => {
    const endsAt = "2026-12-30T00:00:00.000Z";
    const subscription = {
      ...{ standing: "current" as const, planName: "Pro" },
      pending: { ...NO_CHANGE, endsAt },
    };
    expect(toAttention({ ...NOTHING, subscription })).toMatchObject([
      {
        title: "A change of the plan Pro is coming",
        detail: "Ends on Dec 30, 2026 and does not renew.",
        to: "/plans",
      },
    ]);
  });

  it("is quiet when nothing needs attention", () => {
    expect(titlesOf({ limits: limitsWith({ used: "799", remaining: "201" }) })).toEqual([]);
  });

  it("warns when a live quota is tight and says when it is used up; test keys are no matter", () => {
    expect(titlesOf({ limits: limitsWith({ used: "800", remaining: "200" }) })).toEqual([
      "80.0% of the quota of Requests is used",
    ]);
    expect(titlesOf({ limits: limitsWith({ used: "1000", remaining: "0" }) })).toEqual([
      "The quota of Requests is used up",
    ]);
    const test = limitsWith({ used: "1000", remaining: "0", environment: "test" });
    expect(titlesOf({ limits: test })).toEqual([]);
  });

  it.each([
    ["requests", "hard", "danger", "Calls are denied until Dec 1."],
    ["requests", "soft", "warning", "Overage is allowed: calls continue and are counted."],
    ["tokens", "soft", "warning", "Overage is allowed: events continue and are counted."],
    ["tokens", "hard", "danger", "Events are still counted; calls verified"],
  ] as const)("says of %s what a %s quota that is used up does", (meter, kind, tone, detail) => {
    const limits = limitsWith({ used: "1000", remaining: "0", meter, kind });
    const [item] = toAttention({ ...NOTHING, limits });
    expect(item).toMatchObject({ tone, detail: expect.stringContaining(detail) });
    expect(item?.title).toBe(
      `The quota of ${meter === "tokens" ? "Tokens of models" : "Requests"} is used up`,
    );
  });

  it("names a day in which more than a fifth of the calls were denied", () => {
    expect(titlesOf({ lastDay: { requests: 0, denied: 0 } })).toEqual([]);
    expect(titlesOf({ lastDay: { requests: 100, denied: 20 } })).toEqual([]);
    expect(titlesOf({ lastDay: { requests: 100, denied: 21 } })).toEqual([
      "21.0% of the last day’s calls were denied",
    ]);
  });

  it("tells of alerts that fire, and leads to them", () => {
    const alerts = ["quiet", "firing", "paused"].map((phase) => ({
      alertId: phase,
      name: `Rule ${phase}`,
      phase,
    }));
    expect(toAttention({ ...NOTHING, alerts })).toMatchObject([
      { title: "The alert Rule firing is firing", to: "/alerts" },
    ]);
  });

  it("names webhooks that are off, however they were disabled", () => {
    const states = ["enabled", "disabled", "auto_disabled"].map((state) => ({
      webhookId: `wh_${state}`,
      url: "https://hooks.example/in?secret=1",
      state,
    }));
    const items = toAttention({ ...NOTHING, webhooks: states });
    expect(items.map(({ key }) => key)).toEqual(["wh_disabled", "wh_auto_disabled"]);
    expect(items[1]).toMatchObject({
      title: "The webhook to hooks.example is disabled",
      detail: expect.stringContaining("It kept failing."),
    });
  });

  it("says when all keys are revoked, and not of a tenant that has none or more than it sees", () => {
    const keys = [{ state: "revoked" }];
    expect(titlesOf({ keys })).toEqual(["All keys are revoked"]);
    expect(titlesOf({ keys, hasMoreKeys: true })).toEqual([]);
    expect(titlesOf({ keys: [...keys, { state: "disabled" }] })).toEqual([]);
    expect(titlesOf({ keys: [] })).toEqual([]);
  });

  it("names keys that end soon, the soonest first, and leads to each", () => {
    const endingKeys = [
      { ...ENDING, keyId: "key_1", name: "Worker", expiresAt: "2026-12-05T12:00:00.000Z" },
      { ...ENDING, keyId: "key_2", name: "Web", expiresAt: "2026-11-22T00:00:00.000Z" },
      // It is meant to end.
      { ...ENDING, keyId: "key_3", name: "Web before", rolledToKeyId: "key_2" },
    ];
    expect(toAttention({ ...NOTHING, endingKeys })).toMatchObject([
      { title: "Web expires on Nov 22", to: "/api-keys", keyId: "key_2" },
      {
        title: "Worker expires on Dec 5",
        keyId: "key_1",
        // A roll copies the expiry, so it would not help.
        detail: expect.stringContaining("Extend its expiry or create a new key"),
      },
    ]);
  });

  it("counts keys that end soon when there are many", () => {
    const endingKeys = Array.from({ length: 12 }, (_, index) => ({
      ...ENDING,
      keyId: `key_${String(index)}`,
    }));
    expect(titlesOf({ endingKeys })).toEqual(["12 keys expire within two weeks"]);
    expect(titlesOf({ endingKeys, hasMoreEndingKeys: true })).toEqual([
      "More than 12 keys expire within two weeks",
    ]);
  });

  it("puts what stops calls first", () => {
    const titles = titlesOf({ endingKeys: [ENDING], suspendedAt: "2026-11-20T00:00:00.000Z" });
    expect(titles[0]).toBe("This tenant is suspended");
    expect(titles).toHaveLength(2);
  });
});
