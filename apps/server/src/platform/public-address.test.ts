import { describe, expect, it } from "vitest";
import { isInNetworks, isPublicAddress, toNetworkList } from "./public-address.ts";

describe("isPublicAddress", () => {
  it.each([
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1%eth0",
    "fec0::1",
    "ff02::1",
    "",
    "example.com",
    "127.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
  ])("%s is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2001:200::1",
    "2a00:1450:4001:81b::200e",
  ])("%s is", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("isInNetworks", () => {
  it("holds addresses of both families against addresses and ranges", () => {
    const networks = toNetworkList(["10.1.0.0/16", "192.168.7.7", "fd00::/8", "fd00::1"]);
    expect(["10.1.9.9", "192.168.7.7", "fd12::1"].every((a) => isInNetworks(a, networks))).toBe(
      true,
    );
    expect(
      ["10.2.0.1", "192.168.7.8", "fe80::1", "name.test"].some((a) => isInNetworks(a, networks)),
    ).toBe(false);
  });

  it("finds no address in an empty list of networks", () => {
    expect(isInNetworks("127.0.0.1", toNetworkList([]))).toBe(false);
  });
});
