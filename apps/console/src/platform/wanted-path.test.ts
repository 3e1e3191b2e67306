// @vitest-environment jsdom
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { createWantedPath, isOwnPath } from "./wanted-path.ts";

const ORIGIN = "https://console.example.com";

afterEach(() => sessionStorage.clear());

describe("isOwnPath", () => {
  it.each(["/", "/plans", "/analytics?range=7d&q=a//b#top", "/ä"])("takes %s", (path) => {
    expect(isOwnPath(path)).toBe(true);
  });

  it.each([
    "",
    "plans",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/a\u0000",
    "https://evil.example",
    "javascript:alert(1)",
    `/${"a".repeat(2048)}`,
  ])("refuses %j", (path) => {
    expect(isOwnPath(path)).toBe(false);
  });

  it("takes nothing that a browser would open on another site", () => {
    const pieces = fc.constantFrom(
      "/",
      "\\",
      "\t",
      "\n",
      "@",
      ":",
      ".",
      "evil.example",
      "%2f",
      "a",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const path = parts.join("");
        if (isOwnPath(path)) {
          expect(new URL(path, ORIGIN).origin).toBe(ORIGIN);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("createWantedPath", () => {
  it("gives back what was remembered, once", () => {
    const wanted = createWantedPath(sessionStorage);
    wanted.remember("/plans?x=1");
    expect([wanted.take(), wanted.take()]).toEqual(["/plans?x=1", undefined]);
  });

  it("returns nothing that leads elsewhere, no matter how it got there", () => {
    const wanted = createWantedPath(sessionStorage);
    wanted.remember("/plans");
    const key = sessionStorage.key(0) ?? "";
    sessionStorage.setItem(key, "//evil.example");
    expect(wanted.take()).toBeUndefined();
  });
});
