import { describe, expect, it } from "vitest";
import { findSamplePath } from "./sample-path.ts";

const get = (...parameters: object[]) => ({ get: { parameters } });

describe("findSamplePath", () => {
  it("takes a GET that needs nothing, and not the health of the API", () => {
    const paths = { "/health": get(), "/pets": { post: {} }, "/cities": get() };
    expect(findSamplePath({ paths })).toBe("/cities");
    const servers = [{ url: "https://api.example.com/v1" }];
    expect(findSamplePath({ paths, servers })).toBe("/v1/cities");
  });

  it("fills in what the document gives as examples, by reference as well", () => {
    const paths = {
      "/pets/{id}": get({ $ref: "#/components/parameters/id" }),
      "/search": get({ name: "q", in: "query", required: true, schema: { example: "a b" } }),
    };
    const parameters = { id: { name: "id", in: "path", required: true, example: 7 } };
    expect(findSamplePath({ paths, components: { parameters } })).toBe("/pets/7");
    expect(findSamplePath({ paths })).toBe("/search?q=a%20b");
  });

  it("gives nothing that could change the meaning of a sample or name another host", () => {
    for (const path of [
      '/a"; rm -rf ~',
      "/$(id)",
      "/a b",
      "//evil.example",
      `/${"a".repeat(600)}`,
    ]) {
      expect(findSamplePath({ paths: { [path]: get() } })).toBeUndefined();
    }
  });

  it("finds none where the document does not say what a call needs", () => {
    const paths = {
      "/pets/{id}": get({ name: "id", in: "path", required: true }),
      "/secret": get({ name: "X-Tenant", in: "header", required: true, example: "a" }),
    };
    expect([{ paths }, { paths: {} }, {}, null, "text"].map(findSamplePath)).toEqual(
      Array.from({ length: 5 }),
    );
  });
});
