import { describe, expect, it } from "vitest";
import { toLimitHeaders } from "./limit-headers.ts";
import type { LimitState } from "./verification.ts";

const resetAt = new Date(60_000).toISOString();

function limitOf(
  name: string,
  kind: LimitState["kind"],
  scope: LimitState["scope"] = "tenant",
): LimitState {
  return { name, kind, scope, limit: 10, remaining: 4, resetAt };
}

describe("toLimitHeaders", () => {
  it("names each limit once, as the gateway does", () => {
    const headers = toLimitHeaders(
      [
        limitOf("requests", "rate_limit"),
        limitOf("requests", "quota"),
        limitOf("requests", "quota", "key"),
        limitOf("tokens", "quota", "key"),
        limitOf("tokens", "rate_limit", "key"),
      ],
      0,
    );
    const names = ["requests", "quota:requests", "key:requests", "key:quota:tokens", "key:tokens"];
    expect(headers).toEqual({
      "ratelimit-policy": names.map((name) => `"${name}";q=10`).join(", "),
      ratelimit: names.map((name) => `"${name}";r=4;t=60`).join(", "),
    });
  });

  it("says the window of a limit that has one", () => {
    const limits = [{ ...limitOf("burst", "rate_limit"), windowSeconds: 60 }];
    expect(toLimitHeaders([...limits, limitOf("requests", "quota")], 0)).toMatchObject({
      "ratelimit-policy": '"burst";q=10;w=60, "requests";q=10',
    });
  });

  it("says nothing without a limit that has a name for it", () => {
    expect(toLimitHeaders([limitOf('a "name"', "rate_limit")], 0)).toEqual({});
  });
});
