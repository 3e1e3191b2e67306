import { describe, expect, it } from "vitest";
import { toKeyInput } from "./key-options.ts";
import { UsageError } from "./usage-error.ts";

describe("the options of a key", () => {
  it("become what the API takes", () => {
    expect(
      toKeyInput({
        scope: ["usage:read"],
        network: ["192.0.2.0/24", "2001:db8::/32"],
        rateLimit: ["burst=100/60", "hourly=1000/3600"],
        quota: ["requests=10000"],
        concurrency: "5",
        metadata: ["team=maps", "formula=a=b"],
        expires: "2030-01-01T00:00:00.000Z",
      }),
    ).toEqual({
      scopes: ["usage:read"],
      allowedNetworks: ["192.0.2.0/24", "2001:db8::/32"],
      rateLimits: [
        { name: "burst", limit: 100, windowSeconds: 60 },
        { name: "hourly", limit: 1_000, windowSeconds: 3_600 },
      ],
      quotas: [{ meter: "requests", limit: 10_000 }],
      concurrency: 5,
      metadata: { team: "maps", formula: "a=b" },
      expiresAt: "2030-01-01T00:00:00.000Z",
    });
  });

  it("that are not given say nothing, and one empty text takes all away", () => {
    expect(Object.values(toKeyInput({})).every((value) => value === undefined)).toBe(true);
    const nothing = { network: [""], metadata: [""], quota: [""], concurrency: "none" };
    expect(toKeyInput(nothing)).toMatchObject({
      concurrency: null,
      allowedNetworks: [],
      metadata: {},
      quotas: [],
      scopes: undefined,
    });
  });

  it.each([
    { rateLimit: ["100/60"] },
    { rateLimit: ["burst=100"] },
    { rateLimit: ["burst=100/60/2"] },
    { rateLimit: ["burst=1e3/60"] },
    { rateLimit: ["burst=-1/60"] },
    { quota: ["requests"] },
    { concurrency: "many" },
    { quota: ["requests=many"] },
    { metadata: ["team"] },
    { metadata: ["=maps"] },
    { metadata: ["team=a", "team=b"] },
  ])("are refused in a sentence: %j", (options) => {
    expect(() => toKeyInput(options)).toThrow(UsageError);
  });
});
