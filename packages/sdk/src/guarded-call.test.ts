import { describe, expect, it } from "vitest";
import { isAnswered, toFurtherRequest } from "./guarded-call.ts";
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
    ["from where the first was told", [{ address: "192.0.2.1" }], { cost: 0 }, { cost: 0 }],
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
});

function withKey(asked: Asked): VerifyRequest {
  return { key, ...asked };
}
