import { describe, expect, it } from "vitest";
import type { LoggedRequest } from "./logged-request.ts";
import { compileRules } from "./match-rules.ts";

const request = (more: Partial<LoggedRequest>): LoggedRequest => ({
  epochMs: 0,
  method: "GET",
  target: "/",
  status: 200,
  client: "192.0.2.1",
  user: undefined,
  host: undefined,
  bytesIn: 0,
  bytesOut: 0,
  latencyMs: undefined,
  ...more,
});

describe("compileRules", () => {
  const find = compileRules([
    { path: "/health", target: "ignored" },
    { path: "/v1/*", clients: ["10.0.0.0/8", "2001:db8::/32"], target: "inside" },
    { host: "Maps.example:443", target: "maps" },
    { user: "ann", path: "/v1/*", target: "ann" },
  ]);

  it.each([
    ["ignored", { target: "/health?deep=1" }],
    [undefined, { target: "/health/more" }],
    ["inside", { target: "/v1/maps", client: "10.9.9.9" }],
    ["inside", { target: "/v1/", client: "2001:db8::7", host: "maps.example" }],
    [undefined, { target: "/v1", client: "10.9.9.9" }],
    [undefined, { target: "/?x=/v1/", client: "10.9.9.9" }],
    ["maps", { target: "/v1/x", host: "maps.example", user: "ann" }],
    ["ann", { target: "/v1/x", user: "ann" }],
    [undefined, { target: "/v1/x", client: undefined }],
    [undefined, { target: "/v1/x", client: "no address" }],
  ])("gives %s, by the first rule that holds", (expected, more) => {
    expect(find(request(more))).toBe(expected);
  });

  it("takes everything where a rule says nothing, and nothing without rules", () => {
    expect(compileRules([{ target: "all" }])(request({}))).toBe("all");
    expect(compileRules([])(request({}))).toBeUndefined();
  });
});
