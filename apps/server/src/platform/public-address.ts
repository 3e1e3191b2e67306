import { BlockList, isIP, isIPv4 } from "node:net";

/** What IANA keeps from the public internet, and what leads into IPv4 networks by another name. */
const CLOSED_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  // Relays of 6to4.
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/**
 * Public addresses of IPv6 are all in 2000::/3; of the rest (loopback, link-local, unique local, multicast, IPv4-mapped,
 * NAT64) none is called. Closed inside of it: Teredo and other protocols, documentation, 6to4.
 */
const OPEN_IPV6 = "2000::/3";
const CLOSED_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** Makes a list of networks. @param entries - Addresses, or ranges such as `10.0.0.0/8`. */
export function toNetworkList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, Number(bits ?? (family === "ipv4" ? 32 : 128)), family);
  }
  return list;
}

const closedIpv4 = toNetworkList(CLOSED_IPV4);
const openIpv6 = toNetworkList([OPEN_IPV6]);
const closedIpv6 = toNetworkList(CLOSED_IPV6);

/** True for an address of one of the networks. What is no address is of none; a zone makes an address local. */
export function isInNetworks(address: string, networks: BlockList): boolean {
  const family = isIP(address);
  return (
    family !== 0 &&
    !address.includes("%") &&
    networks.check(address, family === 4 ? "ipv4" : "ipv6")
  );
}

/** True for an IP address that anybody on the internet may be called at; false for every other text. */
export function isPublicAddress(address: string): boolean {
  return isIPv4(address)
    ? !isInNetworks(address, closedIpv4)
    : isInNetworks(address, openIpv6) && !isInNetworks(address, closedIpv6);
}
