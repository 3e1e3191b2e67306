import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTE_LENGTH_MAX, toRouteTemplate } from "./route-template.ts";

describe("toRouteTemplate", () => {
  it.each([
    ["/users/123", "/users/{id}", "a number"],
    ["/v1/users/123/orders/7", "/v1/users/{id}/orders/{id}", "several, and a version"],
    ["/users/123?page=2&q=/x/9", "/users/{id}", "a query"],
    ["/users/123#part", "/users/{id}", "a fragment"],
    ["/users/", "/users", "a slash at the end"],
    ["//users///7//", "/users/{id}", "empty segments"],
    ["/", "/", "the root"],
    ["", "/", "nothing"],
    ["/?q=1", "/", "a query alone"],
    ["/x/0b51a6f2-2a2e-4f1c-8a7f-0d3f4b8f9a10", "/x/{id}", "a UUID"],
    ["/x/0B51A6F22A2E4F1C8A7F0D3F4B8F9A10", "/x/{id}", "a UUID without hyphens"],
    ["/x/9f86d081884c7d65", "/x/{id}", "hexadecimal"],
    ["/x/deadbeef", "/x/deadbeef", "a word of hexadecimal letters"],
    ["/x/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/x/{id}", "a ULID"],
    ["/x/key_0190f3c2a1b27c3d8e4f5a6b7c8d9e0f", "/x/{id}", "an id of ours"],
    ["/x/cus_NffrFeUfNV2Hib", "/x/{id}", "an id of another API"],
    ["/x/dQw4w9WgXcQ", "/x/{id}", "a short random id"],
    ["/x/V1StGXR8_Z5jdHi6B-myT", "/x/{id}", "a random id with separators"],
    ["/x/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "/x/{id}", "a token"],
    ["/x/order-12345", "/x/{id}", "a name with a number behind it"],
    ["/x/2026-01-31", "/x/{id}", "a date"],
    ["/x/52.5200,-13.4050", "/x/{id}", "coordinates"],
    ["/x/1,2,3", "/x/{id}", "a list"],
    ["/x/12:30", "/x/{id}", "a time"],
    ["/orders/17:cancel", "/orders/{id}:cancel", "an action behind an id"],
    ["/files/12345.json", "/files/{id}.json", "an extension"],
    ["/tiles/7/63/42.mvt", "/tiles/{id}/{id}/{id}.mvt", "a tile of a map"],
    ["/users/ann@example.com", "/users/{id}", "an address of a person"],
    ["/users/ann%40example.com", "/users/{id}", "an encoded address of a person"],
    ["/search/caf%C3%A9%20au%20lait", "/search/{id}", "encoded text"],
    ["/a%2fb/c", "/{id}/c", "an encoded slash, which is not decoded"],
    ["/oauth2/callback", "/oauth2/callback", "a name with a number"],
    ["/api/v2beta1/top-10", "/api/v2beta1/top-10", "versions and short numbers in names"],
    ["/getUserProfileById", "/getUserProfileById", "words in camel case"],
    ["/.well-known/openid-configuration", "/.well-known/openid-configuration", "hyphens and dots"],
    ["/robots.txt", "/robots.txt", "a file"],
    ["/users/{id}", "/users/{id}", "a template"],
    ["/a\u0000b/\u202ec/\ud800", "/a_b/_c/_", "what is not visible ASCII"],
    [`/x/${"a".repeat(65)}`, "/x/{id}", "a segment longer than any name"],
  ])("makes %j the route %j: %s", (target, route) => {
    expect(toRouteTemplate(target)).toBe(route);
  });

  it("ends the route of a path without end", () => {
    expect(toRouteTemplate("/n".repeat(10_000))).toBe(`${"/n".repeat(96)}/{more}`);
    expect(toRouteTemplate("/".repeat(20_000))).toBe("/");
  });

  const segment = fc.oneof(
    fc.string({ unit: "grapheme-ascii", maxLength: 80 }),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.stringMatching(/^[0-9A-Za-z{}.:_~,@%-]{0,90}$/),
    fc.stringMatching(/^[0-9a-z]{1,40}\.[a-z0-9]{1,5}$/),
    fc.uuid(),
    fc.ulid(),
    fc.nat().map(String),
    fc.constantFrom("users", "v1", "{id}", "{more}", "{other}", "..", "", "{id}.json"),
  );
  const target = fc.oneof(
    fc.array(segment, { maxLength: 40 }).map((parts) => `/${parts.join("/")}`),
    fc.string({ unit: "binary", maxLength: 400 }),
  );

  it("gives a bounded, printable path that starts with a slash, and the same again for it", () => {
    fc.assert(
      fc.property(target, (raw) => {
        const route = toRouteTemplate(raw);
        expect(route).toMatch(/^\/[\x21-\x7e]*$/);
        expect(route).not.toMatch(/[?#]|\/\/|.\/$/);
        expect(route.length).toBeLessThanOrEqual(ROUTE_LENGTH_MAX);
        expect(toRouteTemplate(route)).toBe(route);
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives one route to calls that differ only in an id and in the query", () => {
    const id = fc.oneof(
      fc.nat().map(String),
      fc.uuid(),
      fc.ulid(),
      fc.stringMatching(/^(key|ten|inv)_[0-9a-f]{31}[0-9]$/),
      fc.stringMatching(/^[0-9a-f]{15}[0-9]$/),
    );
    fc.assert(
      fc.property(id, fc.string({ unit: "grapheme-ascii" }), (value, query) => {
        expect(toRouteTemplate(`/v1/orders/${value}/lines?${query}`)).toBe("/v1/orders/{id}/lines");
      }),
      { numRuns: 1_000 },
    );
  });
});
