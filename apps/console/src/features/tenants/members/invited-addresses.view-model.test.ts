import { expect, it } from "vitest";
import { listAddresses } from "./invited-addresses.view-model.ts";

it.each<[string, string[]]>([
  ["", []],
  [" \n , ; ", []],
  [" ada@example.com ", ["ada@example.com"]],
  [
    "a@x.com, b@x.com;c@x.com\r\nd@x.com e@x.com",
    ["a@x.com", "b@x.com", "c@x.com", "d@x.com", "e@x.com"],
  ],
  [
    '"Lovelace, Ada" <ada@x.com>, Bob Roe <bob@x.com>\n<c@x.com> <d@x.com>',
    ['"Lovelace', "ada@x.com", "bob@x.com", "c@x.com", "d@x.com"],
  ],
  ["ada@x.com\nADA@x.com", ["ada@x.com"]],
  ["not an address", ["not", "an", "address"]],
])("reads the addresses of %j", (text, addresses) => {
  expect(listAddresses(text)).toEqual(addresses);
});
