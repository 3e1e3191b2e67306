import { describe, expect, it } from "vitest";
import { isAnswered, isOwnTaking, toFurtherRequest } from "./guarded-call.ts";
import type { VerifyRequest } from "./verification.ts";

type Asked = Omit<VerifyRequest, "key">;
const key = "tp_live_x";

describe("what a further guard asks", () => {
  it.each<[string, Asked[], Asked, Asked]>([
    ["nothing more, having named nothing", [{}], {}, { cost: 0 }],
    ["nothing more of a call that is metered otherwise", [{ meter: "tiles" }], {}, { cost: 0 }],
    ["nothing more than the first took", [{ cost: 5 }], { cost: 3 }, { cost: 0 }],
    ["the difference, when it asks for more", [{}], { cost: 5 }, { cost: 4 }],
    ["the difference to all before", [{}, { cost: 2 }], { cost: 5 }, { cost: 2 }],
    ["one unit, when the first took none", [{ cost: 0 }], {}, {}],
    ["all of its cost, when the first took none", [{ cost: 0 }], { cost: 5 }, { cost: 5 }],
    ["all of its cost, of another meter", [{}], { meter: "tiles" }, { meter: "tiles" }],
    ["by the name of the default meter too", [{}], { meter: "requests" }, { cost: 0 }],
    [
      "with the address that the first one got",
      [{ address: "192.0.2.1" }],
      { cost: 0 },
      { cost: 0 },
    ],
  ])("takes %s", (_, passed, asked, expected) => {
    const further = toFurtherRequest({ key, ...asked }, { passed: passed.map(withKey) });
    const { address } = passed[0] ?? {};
    expect(further).toEqual({ key, ...asked, ...(address && { address }), ...expected });
  });

  it.each<[string, Asked[], Asked, boolean]>([
    ["the same", [{ scopes: "a:x" }], { scopes: "a:x" }, true],
    ["less", [{ scopes: "a:x", environment: "live" }], {}, true],
    ["what the second of two did", [{}, { scopes: "a:x" }], { scopes: "a:x" }, true],
    ["other scopes", [{ scopes: "a:x" }], { scopes: "a:y" }, false],
    ["an environment, the first none", [{}], { environment: "live" }, false],
    ["another address", [{ address: "192.0.2.1" }], { address: "192.0.2.2" }, false],
    [
      "two things that passed apart",
      [{ scopes: "a:x" }, { environment: "live" }],
      { scopes: "a:x", environment: "live" },
      false,
    ],
  ])("is answered or not, asking %s", (_, passed, asked, expected) => {
    const before = { passed: passed.map(withKey) };
    expect(isAnswered({ key, ...asked, cost: 0 }, before)).toBe(expected);
    expect(isAnswered({ key, ...asked, cost: 1 }, before)).toBe(false);
  });

  it.each<[string, Asked[], Asked, string, boolean]>([
    ["the last call of a rate limit", [{}], { cost: 0 }, "RATE_LIMITED", true],
    ["the last unit of a quota", [{}], { cost: 0, meter: "requests" }, "QUOTA_EXCEEDED", true],
    ["all that it costs, of another meter", [{ meter: "x" }], { cost: 0 }, "QUOTA_EXCEEDED", true],
    ["nothing", [{ cost: 0 }], { cost: 0 }, "RATE_LIMITED", false],
    ["less than it costs", [{}], { cost: 1 }, "QUOTA_EXCEEDED", false],
    ["of another meter", [{}], { cost: 0, meter: "tiles" }, "QUOTA_EXCEEDED", false],
    ["all of a key that is gone", [{}], { cost: 0 }, "REVOKED", false],
  ])("passes a limit or not, when the first guard took %s", (_, passed, asked, code, expected) => {
    const before = { passed: passed.map(withKey) };
    expect(isOwnTaking({ key, ...asked }, code, before)).toBe(expected);
  });
});

function withKey(asked: Asked): VerifyRequest {
  return { key, ...asked };
}
