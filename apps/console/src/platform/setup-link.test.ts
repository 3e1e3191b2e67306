import { describe, expect, it } from "vitest";
import { parseSetupCode } from "./setup-link.ts";

describe("parseSetupCode", () => {
  it.each([
    { why: "the link as printed", fragment: "#setup=abc-123", code: "abc-123" },
    { why: "beside other entries", fragment: "#tab=x&setup=abc", code: "abc" },
    { why: "encoded characters", fragment: "#setup=a%2Fb", code: "a/b" },
    { why: "no fragment", fragment: "", code: undefined },
    { why: "an empty code", fragment: "#setup=", code: undefined },
    { why: "another fragment", fragment: "#operator", code: undefined },
  ])("$why", ({ fragment, code }) => {
    expect(parseSetupCode(fragment)).toBe(code);
  });
});
