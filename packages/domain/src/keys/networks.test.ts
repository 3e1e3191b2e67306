import { BlockList, isIP, SocketAddress } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileNetworks, toCanonicalNetwork } from "./networks.ts";

describe("toCanonicalNetwork", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7/32"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    [" 2001:DB8:0::1 ", "2001:db8::1/128"],
    ["2001:db8::/32", "2001:db8::/32"],
    ["2001:db8:0:1:1:1:1:1/128", "2001:db8:0:1:1:1:1:1/128"],
    ["::/0", "::/0"],
    ["::1", "::1/128"],
    ["fe80::1:2:0:0/112", "fe80::1:2:0:0/112"],
    ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
    ["::FFFF:c000:0207", "192.0.2.7/32"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221/128"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0/128"],
  ])("writes %s as %s", (text, canonical) => {
    expect(toCanonicalNetwork(text)).toBe(canonical);
  });

  it.each([
    ["an octal look-alike", "010.0.0.1"],
    ["three numbers", "10.0.1"],
    ["five numbers", "1.2.3.4.5"],
    ["a number over 255", "10.0.0.256"],
    ["bits beyond IPv4", "10.0.0.0/33"],
    ["bits beyond IPv6", "::/129"],
    ["bits with a leading zero", "10.0.0.0/08"],
    ["no bits after the slash", "10.0.0.0/"],
    ["negative bits", "10.0.0.0/-1"],
    ["two slashes", "10.0.0.0/8/8"],
    ["a mapped network wider than IPv4", "::ffff:0.0.0.0/64"],
    ["two gaps", "1::2::3"],
    ["nine groups", "1:2:3:4:5:6:7:8:9"],
    ["eight groups and a gap", "1:2:3:4::5:6:7:8"],
    ["five digits in a group", "12345::"],
    ["a single colon at the end", "1:2:3:4:5:6:7:"],
    ["a single colon at the start", ":1:2:3:4:5:6:7"],
    ["three colons", ":::"],
    ["a zone", "fe80::1%eth0"],
    ["a port", "192.0.2.1:80"],
    ["brackets", "[::1]"],
    ["a name", "localhost"],
    ["nothing", ""],
    ["a host name with hexadecimal letters", "dead.beef"],
  ])("refuses %s", (_why, text) => {
    expect(toCanonicalNetwork(text)).toBeUndefined();
  });

  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: fc.constantFrom(..."0123456789abF:./%".split("")), maxLength: 45 }),
  );
  it("accepts exactly the addresses that node:net accepts", () => {
    fc.assert(
      fc.property(text, (address) => {
        fc.pre(!address.includes("/") && !address.includes("%"));
        expect(toCanonicalNetwork(address) !== undefined).toBe(isIP(address) !== 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it("writes IPv6 as the platform does, and keeps its own output", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = toCanonicalNetwork(address) ?? "";
        expect(toCanonicalNetwork(canonical)).toBe(canonical);
        const platform = new SocketAddress({ address, family: "ipv6" }).address;
        // The platform writes a few embedded IPv4 addresses with dots.
        if (!platform.includes(".")) {
          expect(canonical).toBe(`${platform}/128`);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("compileNetworks", () => {
  it("compares a mapped address as IPv4, and no IPv4 address with an IPv6 network", () => {
    const ipv4 = compileNetworks(["192.0.2.0/24"]);
    expect(ipv4.has("192.0.2.9")).toBe(true);
    expect(ipv4.has("::ffff:192.0.2.9")).toBe(true);
    expect(ipv4.has("192.0.3.9")).toBe(false);
    const ipv6 = compileNetworks(["::/0"]);
    expect(ipv6.has("2001:db8::1")).toBe(true);
    expect(ipv6.has("192.0.2.9")).toBe(false);
    expect(ipv6.has("::ffff:192.0.2.9")).toBe(false);
  });

  it("contains nothing when it is empty, and never a text that is not an address", () => {
    expect(compileNetworks([]).has("192.0.2.1")).toBe(false);
    const all = compileNetworks(["0.0.0.0/0", "::/0"]);
    for (const text of ["", "unknown", "192.0.2.1:80", "1".repeat(10_000)]) {
      expect(all.has(text)).toBe(false);
    }
  });

  it("decides every address as the platform's own list does", () => {
    const network = fc.oneof(
      fc.record({ address: fc.ipV4(), prefix: fc.integer({ min: 0, max: 32 }) }),
      fc.record({ address: fc.ipV6(), prefix: fc.integer({ min: 0, max: 128 }) }),
    );
    fc.assert(
      fc.property(
        fc.array(network, { maxLength: 5 }),
        fc.oneof(fc.ipV4(), fc.ipV6()),
        (list, stranger) => {
          const reference = new BlockList();
          for (const { address, prefix } of list) {
            reference.addSubnet(address, prefix, isIP(address) === 4 ? "ipv4" : "ipv6");
          }
          const networks = compileNetworks(
            list.map(({ address, prefix }) => `${address}/${String(prefix)}`).filter(isOurs),
          );
          for (const address of [stranger, ...list.map((entry) => entry.address)]) {
            // The platform finds IPv4 in IPv6 networks through its mapped form: not asked for here.
            const isMixed = isIP(address) === 4 && list.some((entry) => isIP(entry.address) === 6);
            if (!isMixed) {
              const family = isIP(address) === 4 ? "ipv4" : "ipv6";
              expect(networks.has(address)).toBe(reference.check(address, family));
            }
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("refuses what is not a network", () => {
    expect(() => compileNetworks(["office"])).toThrow(RangeError);
  });
});

/** A mapped network wider than all of IPv4 is refused here; the generators hardly ever make one. */
function isOurs(cidr: string): boolean {
  return toCanonicalNetwork(cidr) !== undefined;
}
