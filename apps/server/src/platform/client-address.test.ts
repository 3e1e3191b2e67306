import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findClientAddress, parseTrustedProxies, toCanonicalAddress } from "./client-address.ts";

describe("toCanonicalAddress", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    [" 192.0.2.1 ", "192.0.2.1"],
    ["192.0.2.1:8080", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:C000:0201", "192.0.2.1"],
    ["2001:DB8:0:0::1", "2001:db8::1"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::1", "::1"],
  ])("writes %s as %s", (text, canonical) => {
    expect(toCanonicalAddress(text)).toBe(canonical);
  });

  it.each([
    "",
    "unknown",
    "_hidden",
    "example.com",
    "192.0.2",
    "0x7f.1",
    "192.0.2.1.5",
    "[::1",
    "[::1]x",
    "192.0.2.01",
  ])("finds no address in %j", (text) => {
    expect(toCanonicalAddress(text)).toBeUndefined();
  });

  it("gives one spelling for all spellings of an address", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const canonical = toCanonicalAddress(address);
        expect(canonical).toBeDefined();
        expect(toCanonicalAddress(address.toUpperCase())).toBe(canonical);
        expect(toCanonicalAddress(canonical ?? "")).toBe(canonical);
      }),
    );
  });
});

describe("findClientAddress", () => {
  const trusted = parseTrustedProxies(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);

  it.each<[string, string, string | undefined, string]>([
    ["believes no header of a stranger", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["takes the hop before a trusted proxy", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    [
      "ignores what stands left of the first stranger",
      "10.0.0.1",
      "1.2.3.4, 198.51.100.1",
      "198.51.100.1",
    ],
    [
      "walks through several trusted proxies",
      "10.0.0.1",
      "1.2.3.4, 198.51.100.1, 192.0.2.7",
      "198.51.100.1",
    ],
    ["stops at what is no address", "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
    ["stops at an empty entry", "10.0.0.1", "198.51.100.1, ", "10.0.0.1"],
    ["gives the left-most when all are trusted", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["gives the proxy when it says nothing", "10.0.0.1", undefined, "10.0.0.1"],
    ["understands IPv6 with a port", "fd00::1", "[2001:DB8::5]:1234", "2001:db8::5"],
    ["sees through IPv4-mapped spellings", "10.0.0.1", "1.1.1.1, ::ffff:10.0.0.9", "1.1.1.1"],
  ])("%s", (_why, peer, forwardedFor, client) => {
    expect(findClientAddress({ peer, forwardedFor, trusted })).toBe(client);
  });
});

describe("parseTrustedProxies", () => {
  it("trusts no proxy by default", () => {
    expect(parseTrustedProxies([]).has("127.0.0.1")).toBe(false);
  });

  it.each(["example.com", "10.0.0.0/33", "::/129", "10.0.0.0/8/8", "10.0.0.0/", "10.0.0.0/-1", ""])(
    "refuses %j by name",
    (cidr) => {
      expect(() => parseTrustedProxies([cidr])).toThrow(`"${cidr}"`);
    },
  );
});
