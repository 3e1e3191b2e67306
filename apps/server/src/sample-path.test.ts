import { describe, expect, it } from "vitest";
import { configFile } from "./config-schema.ts";
import { samplePathOf } from "./sample-path.ts";

const tokens = {
  protocol: "openai",
  meters: [{ meter: "tokens", counts: ["input", "output"] }],
};
const sampleOf = (upstream: object, landing: { samplePath?: string } = {}) =>
  samplePathOf({
    landing: { samplePath: landing.samplePath },
    upstreams: configFile.parse({ upstreams: [{ name: "api", ...upstream }] }).upstreams,
  });
const url = "https://api.example.com";

describe("the call in the samples", () => {
  it.each([
    ["at the root", { url, tokens }, "/v1/models"],
    ["below a version", { url: `${url}/v1`, tokens }, "/models"],
    ["below a prefix", { url, prefix: "/openai", stripPrefix: true, tokens }, "/openai/v1/models"],
    ["below a prefix that is kept", { url, prefix: "/v1", tokens }, "/v1/models"],
    ["of the other protocol", { url, tokens: { ...tokens, protocol: "anthropic" } }, "/v1/models"],
  ])("lists the models of an API that answers with tokens: %s", (_, upstream, path) => {
    expect(sampleOf(upstream)).toBe(path);
  });

  it("is the root of any other API, one of the demo API, or what the configuration names", () => {
    expect(sampleOf({ url })).toBe("/");
    expect(samplePathOf({ landing: { samplePath: undefined }, upstreams: undefined })).toBe(
      "/v1/cities/berlin",
    );
    expect(sampleOf({ url, tokens }, { samplePath: "/v1/harbours" })).toBe("/v1/harbours");
  });
});
