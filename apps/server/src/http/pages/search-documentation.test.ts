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
  /** What developers, customers and operators type, and the page that should answer them. */
  it.each<[query: string, path: string, first?: "operators"]>([
    ["how do I rotate a key", "/docs/calling#rotate-a-key"],
    ["regenerate api key", "/docs/calling#rotate-a-key"],
    ["lost my key", "/docs/calling"],
    ["429", "/docs/errors/rate-limited"],
    ["429 too many requests", "/docs/errors/rate-limited"],
    ["402 payment required", "/docs/errors/payment-required"],
    ["what does SPEND_CAP_REACHED mean", "/docs/errors/spend-cap-reached"],
    ["invalid key", "/docs/errors/invalid-key"],
    ["key expired", "/docs/errors/expired"],
    ["rate limit headers", "/docs/calling#rate-limit-headers"],
    ["retry after", "/docs/calling"],
    ["throttled", "/docs/errors/rate-limited"],
    ["idempotency", "/docs/calling#retries-and-idempotency"],
    ["idempotency key", "/docs/errors/idempotency-key"],
    ["webhook signature", "/docs/webhooks#verifying-a-message"],
    ["verify webhook", "/docs/webhooks"],
    ["webhok signtures", "/docs/webhooks"],
    ["test key", "/docs/calling"],
    ["authorization header", "/docs/calling#send-the-key"],
    ["restrict key to ip address", "/docs/errors/forbidden-network"],
    ["import hashes of existing keys", "/docs/keys#importing-keys"],
    ["management api", "/docs/api"],
    ["pagination cursor", "/docs/api#pages-of-lists"],
    ["export usage csv", "/docs/analytics#exports"],
    ["success rate", "/docs/analytics"],
    ["request id", "/docs/calling#request-ids"],
    ["upgrade my plan", "/docs/paying#choose-or-change-a-plan"],
    ["cancel subscription", "/docs/paying#cancel-or-pause"],
    ["download invoice pdf", "/docs/paying#download-an-invoice"],
    ["how do I pay", "/docs/paying#how-you-pay"],
    ["spend cap", "/docs/paying#spend-caps-and-notices"],
    ["quota alerts", "/docs/alerts"],
    ["invite teammate", "/docs/teams#invitations"],
    ["saml sso", "/docs/single-sign-on"],
    ["connect claude mcp", "/docs/agents#connect"],
    ["forecas", "/docs/forecasts"],
    ["two factor totp", "/docs/sign-in#second-factors"],
    ["nginx forward auth", "/docs/adopt#forward-auth"],
    ["docker container image", "/docs/install#containers"],
    ["backup", "/docs/operations#backup", "operators"],
    ["smtp", "/docs/mail", "operators"],
    ["stripe payments", "/docs/billing#payments-by-stripe", "operators"],
    ["environment variables", "/docs/configuration#environment-variables", "operators"],
    ["openai tokens", "/docs/tokens", "operators"],
    ["rate limits of several nodes", "/docs/scale#rate-limits", "operators"],
    ["webhook signature", "/docs/webhooks#verifying-a-message", "operators"],
  ])("finds for “%s” a section at %s among the first three", async (query, path, first) => {
    const found = await search.search(query, { limit: 3, first });
    const addresses = found.map(({ address }) => address.slice("https://api.example.com".length));
    expect(
      addresses.some((address) => address.startsWith(path)),
      addresses.join("\n"),
    ).toBe(true);
    expect(found[0]?.excerpt.length).toBeGreaterThan(10);
  });

  it.each(["spend cap", "rate limit", "invoice", "key"])(
    "puts pages of the audience that was asked for first: %s",
    async (query) => {
      const [forUsers] = await search.search(query, { limit: 1 });
      const [forOperators] = await search.search(query, { limit: 1, first: "operators" });
      expect(forUsers?.audience).toBe("users");
      expect(forOperators?.audience).toBe("operators");
    },
  );

  it("finds operations of the API beside guides", async () => {
    const found = await search.search("sign a browser out", { limit: 10 });
    const addresses = found.map(({ address }) => address);
    expect(addresses).toContain("https://api.example.com/v1/reference/account#account.endSignIn");
    expect(addresses.some((address) => address.includes("/docs/"))).toBe(true);
  });

  it("finds nothing for words that no page has, and no more than asked", async () => {
    expect(await search.search("xylophone zyzzyva", { limit: 5 })).toEqual([]);
    expect(await search.search("the of and", { limit: 5 })).toEqual([]);
    expect(await search.search("key", { limit: 2 })).toHaveLength(2);
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
