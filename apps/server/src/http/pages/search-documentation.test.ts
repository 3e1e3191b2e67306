import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { createApiReference } from "./reference/api-reference.ts";
import { createDocumentationSearch } from "./search-documentation.ts";

const search = createDocumentationSearch({
  checkout: resolve(import.meta.dirname, "../../../../.."),
  siteUrl: "https://api.example.com",
  gatewayUrl: "https://gateway.example.com",
  loadReference: createApiReference({ consoleUrl: "https://api.example.com", version: "1" }),
});

describe("the search of the documentation", () => {
  it.each([
    ["import hashes of existing keys", "/docs/keys"],
    ["webhook signatures", "/docs/webhooks"],
    ["what does SPEND_CAP_REACHED mean", "/docs/errors/spend-cap-reached"],
    ["setup nginx forward auth", "/docs/"],
    ["webhok signtures", "/docs/webhooks"],
    ["forecas", "/docs/forecasts"],
  ])("finds for %s a section below %s first", async (query, path) => {
    const [first] = await search.search(query, 3);
    expect(first?.address).toContain(`https://api.example.com${path}`);
    expect(first?.excerpt.length).toBeGreaterThan(10);
  });

  it("finds operations of the API beside guides", async () => {
    const found = await search.search("sign a browser out", 10);
    const addresses = found.map(({ address }) => address);
    expect(addresses).toContain("https://api.example.com/v1/reference/account#account.endSignIn");
    expect(addresses.some((address) => address.includes("/docs/"))).toBe(true);
  });

  it("finds nothing for words that no page has, and no more than asked", async () => {
    expect(await search.search("xylophone zyzzyva", 5)).toEqual([]);
    expect(await search.search("the of and", 5)).toEqual([]);
    expect(await search.search("key", 2)).toHaveLength(2);
  });

  it("reads a page by its path and never leaves the documentation", async () => {
    expect(await search.read("/docs/keys.md")).toMatch(/^# /);
    expect(await search.read("errors/expired")).toMatch(/^# /);
    expect(await search.read("/v1/reference/keys.md")).toMatch(/^# Keys/);
    expect(await search.read("reference/nothing")).toBeUndefined();
    for (const path of ["../package", "..", "errors/../../README", "legal/terms", "", "nothing"]) {
      expect(await search.read(path), path).toBeUndefined();
    }
  });
});
