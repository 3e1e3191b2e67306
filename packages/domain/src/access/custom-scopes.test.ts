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

  it("may not use the nouns of Turnpike's own scopes", () => {
    expect(SCOPES.every(isReservedScope)).toBe(true);
    expect(isReservedScope("maps:read")).toBe(false);
  });
});

describe("effectiveScopes", () => {
  it("are the management scopes, and the custom ones that the plan allows", () => {
    const scopes = ["keys:read", "maps:read", "maps:write"];
    expect(effectiveScopes(scopes, ["maps:read"])).toEqual(["keys:read", "maps:read"]);
    expect(effectiveScopes(scopes, undefined)).toEqual(["keys:read"]);
  });

  it("are the key's own list when all are allowed, so that a call copies nothing", () => {
    const scopes = ["keys:read", "maps:read"];
    expect(effectiveScopes(scopes, ["maps:write", "maps:read"])).toBe(scopes);
    expect(effectiveScopes([], undefined)).toHaveLength(0);
  });
});
