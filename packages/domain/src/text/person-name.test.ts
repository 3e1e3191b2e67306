import { expect, it } from "vitest";
import { toPersonName } from "./person-name.ts";

it.each([
  ["Тарас Шевченко", "Тарас Шевченко"],
  ["山田\u3000太郎", "山田 太郎"],
  [" Ada\u00a0Lovelace ", "Ada Lovelace"],
  ["Ada\r\nBcc: x", "Ada Bcc: x"],
  ["x".repeat(300), `${"x".repeat(199)}…`],
  ["", null],
  [" \u200e ", null],
  ["Win at evil.com", null],
  ["P\u0430ypal", null],
])("the name of a person given as %j is %j", (given, name) => {
  expect(toPersonName(given)).toBe(name);
});
