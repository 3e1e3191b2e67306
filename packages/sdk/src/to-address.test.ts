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
])("reads %j as %j", (text, expected) => {
  expect(toAddress(text)).toBe(expected);
});
