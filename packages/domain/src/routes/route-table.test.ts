import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRouteTable } from "./route-table.ts";
import { ROUTE_LENGTH_MAX } from "./route-template.ts";

const TEMPLATES = [
  "/",
  "/users",
  "/users/{id}",
  "/users/me",
  "/users/{id}/files/{name}.{ext}",
  "/users/{id}/files/{name}.json",
  "/users/{id}/files/latest",
  "/orders/{id}:cancel",
  "/orders/{id}",
  "/{tenant}/settings",
  "/straße/{nr}",
];
const table = createRouteTable(TEMPLATES);

describe("createRouteTable", () => {
  it.each([
    ["/", "/"],
    ["/users", "/users"],
    ["/users/", "/users"],
    ["//users?x=/users/me", "/users"],
    ["/users/me", "/users/me"],
    ["/users/17#me", "/users/{id}"],
    ["/users/me/files/latest", "/users/{id}/files/latest"],
    ["/users/17/files/a.json", "/users/{id}/files/{name}.json"],
    ["/users/17/files/a.b.png", "/users/{id}/files/{name}.{ext}"],
    ["/users/17/files/.json", undefined],
    ["/orders/17:cancel", "/orders/{id}:cancel"],
    ["/orders/:cancel", "/orders/{id}"],
    ["/acme/settings", "/{tenant}/settings"],
    ["/users/settings", "/users/{id}"],
    ["/stra%C3%9Fe/7", "/stra%C3%9Fe/{nr}"],
    ["/acme", undefined],
    ["/users/17/files", undefined],
    ["/Users", undefined],
    ["", "/"],
    ["?a", "/"],
    ["*", undefined],
    ["http://example.com/users", undefined],
    ["/constructor", undefined],
    ["/__proto__/settings", "/{tenant}/settings"],
  ])("finds for %s the most specific template, %s", (path, template) => {
    expect(table.find(path)).toBe(template);
  });

  it("goes back to a less specific one when the rest does not fit", () => {
    const two = createRouteTable(["/a/b/c", "/{x}/b/d", "/{x}/{y}"]);
    expect(two.find("/a/b/d")).toBe("/{x}/b/d");
    expect(two.find("/a/b")).toBe("/{x}/{y}");
  });

  it("agrees with trying every template, for any templates and any path", () => {
    const segment = fc.constantFrom("a", "b", "{x}", "{y}", "a{x}", "{x}b", "a{x}b", "{x}-{y}");
    const path = fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
    const asked = fc
      .array(fc.constantFrom("a", "b", "ab", "aab", "a-b", "-", "aa", "bb"), { maxLength: 4 })
      .map((parts) => `/${parts.join("/")}`);
    fc.assert(
      fc.property(fc.array(path, { maxLength: 12 }), asked, (paths, one) => {
        const found = createRouteTable(paths).find(one);
        const all = paths.filter((template) => toExpression(template).test(one));
        const best = all.toSorted((a, b) => compare(rank(b), rank(a)))[0];
        expect(found === undefined ? undefined : rank(found)).toEqual(
          best === undefined ? undefined : rank(best),
        );
        expect(found === undefined || toExpression(found).test(one)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("never throws, and finds what was put in, on any path and any template", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.webPath()), { maxLength: 20 }),
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.webPath(),
          fc.string().map((s) => s.repeat(500)),
        ),
        (paths, path) => {
          const some = createRouteTable(paths);
          const found = some.find(path);
          expect(found === undefined || found.length <= ROUTE_LENGTH_MAX).toBe(true);
          expect(found ?? "/").toMatch(/^\/[\x21-\x7e]*$/);
        },
      ),
    );
  });

  it("takes no longer than there are templates on paths that are made to be slow", () => {
    // Every level has three ways that fit, so that trying all of them would take 3^20 steps.
    const deep = Array.from({ length: 20 }, () => ["a", "a{x}", "{x}"]);
    const templates = Array.from({ length: 500 }, (_, place) =>
      deep.map((ways, level) => ways[(place >> (level % 9)) % 3] ?? "a").join("/"),
    ).map((path) => `/${path}/end`);
    const slow = createRouteTable(templates);
    expect(slow.find(`/${"aa/".repeat(20)}no-end`)).toBeUndefined();
    expect(slow.find("/".repeat(100_000))).toBeUndefined();
    expect(slow.find(`/${"a".repeat(100_000)}`)).toBeUndefined();
  });

  it("is cheap: how long it takes is printed", () => {
    const many = createRouteTable(
      Array.from({ length: 1_000 }, (_, place) => `/v1/things${String(place)}/{id}/parts/{part}`),
    );
    const paths = Array.from(
      { length: 64 },
      (_, place) => `/v1/things${String(place * 13)}/${String(place)}/parts/abc?page=2`,
    );
    const rounds = 2_000;
    let found = 0;
    const startedAtMs = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      for (const path of paths) {
        found += many.find(path) === undefined ? 0 : 1;
      }
    }
    const perMatchNs = ((performance.now() - startedAtMs) * 1e6) / (rounds * paths.length);
    console.info(`${perMatchNs.toFixed(0)} ns to find one of ${String(many.size)} routes`);
    expect(found).toBe(rounds * paths.length);
  });
});

function toExpression(template: string): RegExp {
  const parts = template.split("/").filter((part) => part !== "");
  const escaped = parts.map((part) =>
    part
      .split(/\{[^{}]*\}/)
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^/]+"),
  );
  return new RegExp(`^/${escaped.join("/")}$`);
}

type Rank = { weight: number; shape: string };

/** Of each segment how specific it is: text, text with values (more text first), a value. */
function rank(template: string): Rank[] {
  return template
    .split("/")
    .filter((part) => part !== "")
    .map((part) => {
      const shape = part.replaceAll(/\{[^{}]*\}/g, "{}");
      return { shape, weight: part.includes("{") ? shape.replaceAll("{}", "").length : 1_000 };
    });
}

function compare(a: readonly Rank[], b: readonly Rank[]): number {
  for (const [place, one] of a.entries()) {
    const other = b[place] ?? one;
    if (one.weight !== other.weight || one.shape !== other.shape) {
      return one.weight - other.weight || (one.shape < other.shape ? 1 : -1);
    }
  }
  return 0;
}
