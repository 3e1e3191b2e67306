import { describe, expect, it } from "vitest";
import { describeFilter } from "./describe-filter.ts";

const nameKey = (keyId: string) => (keyId === "key_1" ? "production" : undefined);

describe("describeFilter", () => {
  it.each([
    [
      "outcome",
      ["RATE_LIMITED", "INVALID_KEY", "VALID"],
      "Outcome: Rate limited, Invalid key, Allowed",
    ],
    ["key", ["key_1", "key_2", ""], "Key: production, key_2, Unknown key"],
    ["route", ["/cities/{city}", "{other}", ""], "Route: /cities/{city}, Other routes, Unknown"],
    ["status_class", ["5xx"], "Status class: 5xx"],
    ["event", ["model:small"], "Event dimension: model: small"],
    ["environment", ["live"], "Environment: live"],
  ])("tells %s of %j as %s", (name, values, text) => {
    expect(describeFilter(name, values, nameKey)).toBe(text);
  });
});
