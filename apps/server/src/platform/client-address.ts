import { BlockList, isIP, SocketAddress } from "node:net";

/** The proxies whose forwarding headers are believed. */
export type TrustedProxies = { has(address: string): boolean };

/** Trusted addresses that are remembered: to look one up in the list costs a call as much as counting it. */
const KNOWN_MAX = 1_024;

/**
 * Parses the operator's list of proxies.
 *
 * @param cidrs - Addresses and ranges: `["10.0.0.0/8", "192.0.2.7", "fd00::/8"]`. Empty: none is trusted.
 * @throws {RangeError} Naming the entry that is neither an address nor a range.
 */
export function parseTrustedProxies(cidrs: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = "", prefix, ...rest] = cidr.split("/");
    const version = isIP(address);
    const bits = prefix === undefined ? undefined : Number(prefix);
    const bitsMax = version === 4 ? 32 : 128;
    const isRange = prefix !== undefined && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsMax;
    if (version === 0 || rest.length > 0 || (prefix !== undefined && !isRange)) {
      throw new RangeError(
        `"${cidr}" is not an IP address or a CIDR range such as 10.0.0.0/8 or fd00::/8`,
      );
    }
    const family = version === 4 ? "ipv4" : "ipv6";
    if (bits === undefined) {
      list.addAddress(address, family);
    } else {
      list.addSubnet(address, bits, family);
    }
  }
  if (cidrs.length === 0) {
    return { has: () => false };
  }
  // No others: they are strangers' words, of which there is no end.
  const known = new Set<string>();
  return {
    has(address) {
      if (known.has(address)) {
        return true;
      }
      const version = isIP(address);
      const isTrusted = version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6");
      if (isTrusted && known.size < KNOWN_MAX) {
        known.add(address);
      }
      return isTrusted;
    },
  };
}

/**
 * Writes an address the one way it is compared, shown and counted: IPv4-mapped IPv6 as IPv4, IPv6 in lower case and
 * shortest form, without zone, brackets or port.
 *
 * Example: `::FFFF:192.0.2.1` gives `192.0.2.1`; `[2001:DB8:0::1%eth0]:443` gives `2001:db8::1`.
 *
 * @returns `undefined` when the text holds no IP address (`unknown`, `_hidden`, a name).
 */
export function toCanonicalAddress(text: string): string | undefined {
  let address = text.trim();
  if (address.startsWith("[")) {
    const end = address.indexOf("]");
    if (end < 0 || !/^(?::\d{1,5})?$/.test(address.slice(end + 1))) {
      return undefined;
    }
    address = address.slice(1, end);
  } else if (
    address.includes(".") &&
    address.indexOf(":") === address.lastIndexOf(":") &&
    address.includes(":")
  ) {
    address = address.slice(0, address.indexOf(":"));
  }
  const zone = address.indexOf("%");
  if (zone >= 0) {
    address = address.slice(0, zone);
  }
  const version = isIP(address);
  if (version === 4) {
    return address;
  }
  if (version === 0) {
    return undefined;
  }
  const canonical = new SocketAddress({ address, family: "ipv6" }).address;
  return canonical.startsWith("::ffff:") && canonical.includes(".")
    ? canonical.slice(7)
    : canonical;
}

/**
 * Finds who really sent the call: walks from our own peer towards the left of `X-Forwarded-For` for as long as the hop
 * is a trusted proxy, and stops at the first that is not. What stands further left was written by strangers.
 *
 * @param input.peer - Address of the other end of the socket; canonical.
 * @param input.forwardedFor - All `X-Forwarded-For` lines joined by commas; `undefined` when there was none.
 * @returns A canonical address. When a trusted proxy wrote no usable address: that proxy's own.
 */
export function findClientAddress(input: {
  peer: string;
  forwardedFor: string | undefined;
  trusted: TrustedProxies;
}): string {
  const { peer, forwardedFor, trusted } = input;
  let client = peer;
  if (forwardedFor === undefined || !trusted.has(peer)) {
    return client;
  }
  const hops = forwardedFor.split(",");
  for (let i = hops.length - 1; i >= 0; i--) {
    const hop = toCanonicalAddress(hops[i] ?? "");
    if (hop === undefined) {
      return client;
    }
    client = hop;
    if (!trusted.has(hop)) {
      return client;
    }
  }
  return client;
}
