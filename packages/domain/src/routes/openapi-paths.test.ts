import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OPENAPI_PATHS_MAX, readOpenapiPaths, toCallersPath } from "./openapi-paths.ts";

const PATHS = { "/users": {}, "/users/{id}": {} };

describe("readOpenapiPaths", () => {
  it.each([
    ["without servers", undefined, ["/users", "/users/{id}"]],
    ["with an address", [{ url: "https://api.example.com/v1/" }], ["/v1/users", "/v1/users/{id}"]],
    ["with a path", [{ url: "/v2" }], ["/v2/users", "/v2/users/{id}"]],
    ["with a relative path", [{ url: "./v3" }], ["/v3/users", "/v3/users/{id}"]],
    ["with no path", [{ url: "https://api.example.com" }], ["/users", "/users/{id}"]],
    [
      "with variables",
      [{ url: "https://{region}.example.com/{base}", variables: { base: { default: "v4" } } }],
      ["/v4/users", "/v4/users/{id}"],
    ],
    [
      "with several, one of them twice",
      [{ url: "https://a.example/v1" }, { url: "https://b.example/v1" }, { url: "/" }],
      ["/v1/users", "/users", "/v1/users/{id}", "/users/{id}"],
    ],
  ])("puts the base path in front, %s", (_, servers, paths) => {
    const document = { openapi: "3.1.0", servers, paths: PATHS };
    expect(readOpenapiPaths(document)).toEqual({ ok: true, paths });
  });

  it("takes the servers of a path before those of the document, and no extensions for paths", () => {
    const paths = { "/a": { servers: [{ url: "/own" }] }, "/b": {}, "x-note": {} };
    expect(readOpenapiPaths({ openapi: "3.0.4", servers: [{ url: "/all" }], paths })).toEqual({
      ok: true,
      paths: ["/own/a", "/all/b"],
    });
  });

  it("takes a document that has webhooks alone", () => {
    expect(readOpenapiPaths({ openapi: "3.1.1", webhooks: {} })).toEqual({ ok: true, paths: [] });
  });

  it.each([
    [null, "no object"],
    [[], "no object"],
    ["openapi: 3.1.0", "no object"],
    [{}, "3.0 or 3.1"],
    [{ swagger: "2.0", paths: PATHS }, "Swagger 2"],
    [{ openapi: "4.0.0", paths: PATHS }, "3.0 or 3.1"],
    [{ openapi: 3.1, paths: PATHS }, "3.0 or 3.1"],
    [{ openapi: "3.1.0", paths: [] }, "no object"],
    [
      {
        openapi: "3.1.0",
        paths: Object.fromEntries(
          Array.from({ length: OPENAPI_PATHS_MAX + 1 }, (_, place) => [`/${String(place)}`, {}]),
        ),
      },
      "more than 5,000 paths",
    ],
  ])("says why %j is none", (document, part) => {
    expect(readOpenapiPaths(document)).toMatchObject({
      ok: false,
      reason: expect.stringContaining(part),
    });
  });

  it("never throws, for any input", () => {
    const anything = fc.anything({ withBigInt: true, withNullPrototype: true });
    fc.assert(
      fc.property(anything, anything, anything, (servers, paths, item) => {
        readOpenapiPaths(servers);
        readOpenapiPaths({ openapi: "3.1.0", servers, paths });
        readOpenapiPaths({ openapi: "3.1.0", servers: [servers], paths: { "/a": item } });
        readOpenapiPaths({ openapi: "3.0.0", paths: { "/a": { servers: [item] } } });
      }),
    );
  });
});

describe("toCallersPath", () => {
  it.each([
    ["/users", { basePath: "", prefix: "/", stripPrefix: false }, "/users"],
    ["/v1/users", { basePath: "/v1", prefix: "/", stripPrefix: false }, "/users"],
    ["/v1", { basePath: "/v1", prefix: "/", stripPrefix: false }, ""],
    ["/v10/users", { basePath: "/v1", prefix: "/", stripPrefix: false }, "/v10/users"],
    ["/users", { basePath: "", prefix: "/maps", stripPrefix: true }, "/maps/users"],
    ["/v1/users", { basePath: "/v1", prefix: "/maps", stripPrefix: true }, "/maps/users"],
    ["/maps/users", { basePath: "", prefix: "/maps", stripPrefix: false }, "/maps/users"],
  ])("gives for %s with %j what callers see, %s", (path, mapping, expected) => {
    expect(toCallersPath(path, mapping)).toBe(expected);
  });
});
