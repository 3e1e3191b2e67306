import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findMissingScopes,
  parseScopeQuery,
  SCOPE_QUERY_DEPTH_MAX,
  SCOPE_QUERY_LENGTH_MAX,
  type ScopeQuery,
} from "./scope-query.ts";

function missing(text: string, held: readonly string[]): readonly string[] | string {
  const parsed = parseScopeQuery(text);
  return parsed.ok ? findMissingScopes(parsed.query, held) : parsed.problem;
}

describe("parseScopeQuery", () => {
  it.each([
    ["a single scope", "maps:read", ["maps:read"], []],
    ["a missing one", "maps:read", [], ["maps:read"]],
    ["both of AND", "a:x AND b:x", ["a:x"], ["b:x"]],
    ["one of OR", "a:x OR b:x", ["b:x"], []],
    ["the part of OR that lacks fewest", "a:x AND b:x OR c:x", [], ["c:x"]],
    ["AND before OR", "a:x OR b:x AND c:x", ["a:x"], []],
    ["parentheses first", "(a:x OR b:x) AND c:x", ["a:x"], ["c:x"]],
    ["no spaces at parentheses", "(a:x)AND(b:x)", ["a:x", "b:x"], []],
    ["a scope named twice, once", "a:x AND a:x", [], ["a:x"]],
    ["line ends as spaces", "a:x\nAND\tb:x", ["a:x", "b:x"], []],
  ])("understands %s", (_what, text, held, expected) => {
    expect(missing(text, held)).toEqual(expected);
  });

  it.each([
    ["", 0],
    ["   ", 3],
    ["AND", 0],
    ["a:x AND", 7],
    ["a:x b:x", 4],
    ["a:x and b:x", 4],
    ["(a:x", 4],
    ["a:x)", 3],
    ["()", 1],
    ["a:x AND OR b:x", 8],
    ["A:x", 0],
    ["a:x AND a,b", 8],
    ["a:*", 0],
  ])("says where %j is wrong", (text, at) => {
    expect(parseScopeQuery(text)).toMatchObject({ ok: false, at });
  });

  it("refuses queries that are too long or too deep", () => {
    const long = `a:x${" OR a:x".repeat(SCOPE_QUERY_LENGTH_MAX)}`;
    expect(parseScopeQuery(long)).toMatchObject({ ok: false, at: SCOPE_QUERY_LENGTH_MAX });
    const nested = (depth: number) => `${"(".repeat(depth)}a:x${")".repeat(depth)}`;
    expect(parseScopeQuery(nested(SCOPE_QUERY_DEPTH_MAX)).ok).toBe(true);
    expect(parseScopeQuery(nested(SCOPE_QUERY_DEPTH_MAX + 1))).toMatchObject({ ok: false });
  });

  it("never throws, for any text", () => {
    const unit = fc.constantFrom(..."()ab:* \n", "AND ", "OR ", "a:x ", "é", "\ud800");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 600 }), (text) => {
        expect(typeof parseScopeQuery(text).ok).toBe("boolean");
      }),
      { numRuns: 2_000 },
    );
  });

  const name = fc.constantFrom("a:x", "b:x", "c:x", "d:x");
  const { query: queries } = fc.letrec<{ query: ScopeQuery }>((tie) => ({
    query: fc.oneof(
      { maxDepth: 3 },
      name.map((each): ScopeQuery => ({ kind: "scope", name: each })),
      fc.record({
        kind: fc.constantFrom("all" as const, "any" as const),
        parts: fc.array(tie("query"), { minLength: 2, maxLength: 3 }),
      }),
    ),
  }));

  function write(query: ScopeQuery): string {
    return query.kind === "scope"
      ? query.name
      : `(${query.parts.map(write).join(query.kind === "all" ? " AND " : " OR ")})`;
  }
  function isSatisfied(query: ScopeQuery, held: readonly string[]): boolean {
    switch (query.kind) {
      case "scope":
        return held.includes(query.name);
      case "all":
        return query.parts.every((part) => isSatisfied(part, held));
      case "any":
        return query.parts.some((part) => isSatisfied(part, held));
      default:
        return query satisfies never;
    }
  }

  it("finds nothing missing exactly when the query holds, which it does once the missing scopes are added", () => {
    fc.assert(
      fc.property(queries, fc.uniqueArray(name), (query, held) => {
        const text = write(query);
        fc.pre(text.length <= SCOPE_QUERY_LENGTH_MAX);
        const parsed = parseScopeQuery(text);
        expect(parsed.ok).toBe(true);
        if (parsed.ok) {
          const lacking = findMissingScopes(parsed.query, held);
          expect(lacking.length === 0).toBe(isSatisfied(query, held));
          expect(held.some((scope) => lacking.includes(scope))).toBe(false);
          expect(isSatisfied(query, [...held, ...lacking])).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
