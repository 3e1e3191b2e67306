import { isAddress } from "@turnpike/domain/keys/networks";
import fc from "fast-check";
import { expect, it } from "vitest";
import { toAddress } from "./to-address.ts";

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  [undefined, undefined],
  ["", undefined],
  ["unknown", undefined],
  ["192.0.2.1:443", undefined],
  ["[2001:db8::1]:443", undefined],
  ["999.0.2.1", undefined],
  ["192.0.02.1", undefined],
  ["::ffff:192.0.2.999", undefined],
  ["::::", undefined],
  ["1:2:3:4:5:6:7:8:9", undefined],
])("reads %j as %j", (text, expected) => {
  expect(toAddress(text)).toBe(expected);
});

it("takes nothing for an address that Turnpike would refuse", () => {
  // A proxy may hand on what a caller made up: that is no address, and no reason to refuse the whole question.
  const part = fc.oneof(
    fc.integer({ min: 0, max: 300 }).map(String),
    fc.integer({ min: 0, max: 0x1ffff }).map((value) => value.toString(16)),
    fc.constantFrom("", "::", "ffff", "00", "%x"),
  );
  const text = fc
    .array(fc.tuple(part, fc.constantFrom(":", "::", ".", "")), { maxLength: 9 })
    .map((parts) => parts.flat().join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.ipV4(), fc.ipV6()), (given) => {
      const address = toAddress(given);
      expect(address === undefined || isAddress(address)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (given) => {
      expect(toAddress(given)).toBeDefined();
    }),
  );
});
