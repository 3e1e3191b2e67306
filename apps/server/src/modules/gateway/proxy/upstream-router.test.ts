import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUpstreamRouter, pickUpstream, type UpstreamConfig } from "./upstream-router.ts";

function upstream(config: Partial<UpstreamConfig> & { name: string }): UpstreamConfig {
  return {
    url: "http://10.0.0.1:8080",
    timeouts: { connectMs: 1, headersMs: 1, idleMs: 1 },
    maxRequestBytes: 1,
    preserveHost: false,
    ...config,
  };
}

function pick(upstreams: UpstreamConfig[], host: string, rawTarget: string): string {
  const choice = pickUpstream(createUpstreamRouter(upstreams), {
    host,
    rawTarget,
  });
  return choice.kind === "found" ? `${choice.upstream.name} ${choice.rawTarget}` : choice.kind;
}

describe("pickUpstream", () => {
  const byPath = [
    upstream({ name: "root" }),
    upstream({ name: "v1", prefix: "/v1" }),
    upstream({ name: "deep", prefix: "/v1/deep", stripPrefix: true }),
    upstream({ name: "based", prefix: "/b", stripPrefix: true, url: "http://10.0.0.1/base/" }),
  ];

  it.each([
    ["/", "root /"],
    ["/v1", "v1 /v1"],
    ["/v1?x=1", "v1 /v1?x=1"],
    ["/v1/x", "v1 /v1/x"],
    ["/v10", "root /v10"],
    ["/V1", "root /V1"],
    ["/v1/deep", "deep /"],
    ["/v1/deep?x=1", "deep /?x=1"],
    ["/v1/deep/a%20b", "deep /a%20b"],
    ["/b/x?y", "based /base/x?y"],
    ["/v1/..%2fadmin", "ambiguous"],
    ["//v1", "ambiguous"],
    ["/%76%31", "ambiguous"],
    ["/x;/v1", "ambiguous"],
    ["/ok?next=//a/../b", "root /ok?next=//a/../b"],
  ])("takes the longest prefix at whole segments: %s", (rawTarget, choice) => {
    expect(pick(byPath, "any.example", rawTarget)).toBe(choice);
  });

  it("reads a path as strictly where only the upstream for tests has a base path", () => {
    const config = upstream({ name: "a", testUrl: "http://10.0.0.2/sandbox" });
    const router = createUpstreamRouter([config]);
    expect(router.upstreams.map(({ name }) => name)).toEqual(["a", "a (test)"]);
    const choose = (rawTarget: string) => pickUpstream(router, { host: "h", rawTarget });
    expect(choose("/../admin").kind).toBe("ambiguous");
    const choice = choose("/x?y");
    expect(choice).toMatchObject({
      rawTarget: "/x?y",
      forTests: { rawTarget: "/sandbox/x?y", upstream: { hostHeader: "10.0.0.2" } },
    });
  });

  it("forwards any path as sent where nothing depends on it", () => {
    const single = [upstream({ name: "root" })];
    expect(pick(single, "a", "//169.254.169.254/x/../y;z")).toBe("root //169.254.169.254/x/../y;z");
  });

  it.each([
    "/../admin",
    "/./x",
    "/..",
    "/%2e%2e/secret",
    "/%2E./secret",
    "/..%2fadmin",
    "/a%2f..%2f..%2fadmin",
    "/..%5cadmin",
    "/..\\admin",
    "/..;/admin",
    "//admin",
  ])("lets no call out of the base path of its upstream: %s", (rawTarget) => {
    const based = upstream({ name: "based", url: "http://10.0.0.1/api/public" });
    expect(pick([based], "a", rawTarget)).toBe("ambiguous");
    expect(pick([based], "a", "/a/b..c?next=/../x")).toBe("based /api/public/a/b..c?next=/../x");
  });

  it("minds the base path of the upstream it takes, not that of another", () => {
    const upstreams = [
      upstream({ name: "based", url: "http://10.0.0.1/api", hosts: ["*.example.com"] }),
      upstream({ name: "plain", hosts: ["api.example.com"] }),
    ];
    expect(pick(upstreams, "api.example.com", "/a/../b")).toBe("plain /a/../b");
    expect(pick(upstreams, "x.example.com", "/a/../b")).toBe("ambiguous");
  });

  const byHost = [
    upstream({ name: "any" }),
    upstream({ name: "wild", hosts: ["*.example.com"], prefix: "/v1" }),
    upstream({ name: "exact", hosts: ["API.example.com"] }),
  ];

  it.each([
    ["api.example.com", "/v1", "exact /v1"],
    ["API.EXAMPLE.COM.:3001", "/v1", "exact /v1"],
    ["x.example.com", "/v1", "wild /v1"],
    ["x.example.com", "/", "any /"],
    ["example.com", "/v1", "any /v1"],
    ["evilexample.com", "/v1", "any /v1"],
    ["[::1]:3001", "/v1", "any /v1"],
  ])("prefers the host's own upstream: %s%s", (host, rawTarget, choice) => {
    expect(pick(byHost, host, rawTarget)).toBe(choice);
  });

  it("reports a host that no upstream serves", () => {
    expect(pick([upstream({ name: "one", hosts: ["a.example"] })], "b.example", "/")).toBe("none");
  });
});

describe("the order of the configuration", () => {
  const HOSTS = ["example.com", "api.example.com", "x.eu.example.com", "a.other.com"] as const;
  const SERVED = [...HOSTS, "*.example.com", "*.eu.example.com", "*.com", "*.other.com"] as const;
  const PREFIXES = ["/", "/v1", "/v1/deep"] as const;

  /** How well an upstream fits a host, by the rule as a reader would write it down; -1: it does not serve it. */
  function rankOf({ hosts }: UpstreamConfig, hostName: string): number {
    const ranks = (hosts ?? ["*"]).map((host) => {
      if (host === "*") {
        return 0;
      }
      if (host === hostName) {
        return 1000;
      }
      return host.startsWith("*") && hostName.endsWith(host.slice(1)) ? host.length : -1;
    });
    return Math.max(...ranks);
  }

  function pickPlainly(upstreams: UpstreamConfig[], hostName: string, path: string): string {
    const [best] = upstreams
      .map((config) => ({ config, rank: rankOf(config, hostName), prefix: config.prefix ?? "/" }))
      .filter((one) => one.rank >= 0)
      .filter(({ prefix }) => prefix === "/" || `${path}/`.startsWith(`${prefix}/`))
      .sort((a, b) => b.rank - a.rank || b.prefix.length - a.prefix.length);
    return best === undefined ? "none" : `${best.config.name} ${path}`;
  }

  /** No two upstreams have one host and prefix. */
  const configurations = fc
    .uniqueArray(
      fc.tuple(fc.option(fc.constantFrom(...SERVED)), fc.constantFrom(...PREFIXES), fc.nat(3)),
      { selector: ([host, prefix]) => `${String(host)} ${prefix}`, minLength: 1 },
    )
    .map((places) => {
      const grouped = Map.groupBy(places, ([host, prefix, group]) =>
        host === null ? `any ${prefix}` : `${group} ${prefix}`,
      );
      return [...grouped].map(([name, members]) =>
        upstream({
          name,
          prefix: members[0]?.[1],
          hosts: members[0]?.[0] === null ? undefined : members.flatMap(([host]) => host ?? []),
        }),
      );
    });

  it("does not matter: the host that fits best has the call, then the longest prefix", () => {
    const paths = fc.constantFrom("/", "/v1", "/v1/x", "/v1/deep/x", "/v10");
    fc.assert(
      fc.property(configurations, fc.constantFrom(...HOSTS), paths, (upstreams, host, path) => {
        expect(pick(upstreams, host, path)).toBe(pickPlainly(upstreams, host, path));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("createUpstreamRouter", () => {
  it("knows host, port and base path of a target", () => {
    const router = createUpstreamRouter([upstream({ name: "six", url: "https://[::1]/api/" })]);
    expect(router.upstreams[0]).toMatchObject({
      target: { protocol: "https:", host: "::1", port: 443, basePath: "/api" },
      hostHeader: "[::1]",
    });
  });

  it.each([
    [{ name: "a", url: "ftp://x" }],
    [{ name: "a", url: "nonsense" }],
    [{ name: "a", url: "http://user:pass@x" }],
    [{ name: "a", url: "http://x/?q" }],
    [{ name: "a", prefix: "v1" }],
    [{ name: "a", prefix: "/v1/" }],
    [{ name: "a", prefix: "/v1/../x" }],
  ])("refuses %j by name", (config) => {
    expect(() => createUpstreamRouter([upstream(config)])).toThrow('Upstream "a"');
  });

  it("refuses two upstreams for one place", () => {
    const upstreams = [
      upstream({ name: "a", prefix: "/x" }),
      upstream({ name: "b", prefix: "/x" }),
    ];
    expect(() => createUpstreamRouter(upstreams)).toThrow('"b"');
  });
});
