import { describe, expect, it } from "vitest";
import { effectiveScopes, isCustomScope, isReservedScope } from "./custom-scopes.ts";
import { SCOPES } from "./scopes.ts";

describe("custom scopes", () => {
  it.each(["maps:read", "maps-v2:tiles:write", "m:1", "a_b:c_d"])("may be %s", (name) => {
    expect(isCustomScope(name)).toBe(true);
  });

  it.each([
    "maps",
    "maps:",
    ":read",
    "Maps:read",
    "maps:*",
    "maps read",
    "1maps:read",
    "a:b:c:d:e",
    `a:${"b".repeat(33)}`,
    "keys:anything",
    ...SCOPES,
  ])("may not be %s", (name) => {
    expect(isCustomScope(name)).toBe(false);
  });

  it("keep clear of the nouns that Turnpike uses itself", () => {
    expect(SCOPES.every(isReservedScope)).toBe(true);
    expect(isReservedScope("maps:read")).toBe(false);
  });
});

describe("effectiveScopes", () => {
  it("are those of management, and of the others those that the plan allows", () => {
    const scopes = ["keys:read", "maps:read", "maps:write"];
    expect(effectiveScopes(scopes, ["maps:read"])).toEqual(["keys:read", "maps:read"]);
    expect(effectiveScopes(scopes, undefined)).toEqual(["keys:read"]);
  });

  it("are the very list of the key when nothing is left out, so that a call makes no copy", () => {
    const scopes = ["keys:read", "maps:read"];
    expect(effectiveScopes(scopes, ["maps:write", "maps:read"])).toBe(scopes);
    expect(effectiveScopes([], undefined)).toHaveLength(0);
  });
});
