import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALL_METHODS, toCallMethod } from "./call-method.ts";

describe("toCallMethod", () => {
  it("keeps the methods it knows", () => {
    expect(CALL_METHODS.map(toCallMethod)).toEqual([...CALL_METHODS]);
  });

  it("counts any other text as OTHER, even names of inherited properties", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(CALL_METHODS).toContain(toCallMethod(text));
      }),
    );
    expect(["get", "PROPFIND", "constructor", "__proto__", ""].map(toCallMethod)).toEqual(
      Array.from({ length: 5 }, () => "OTHER"),
    );
  });
});
