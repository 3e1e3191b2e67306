import { describe, expect, it } from "vitest";
import { createKeyRequest } from "./keys.ts";
import { instant } from "./shapes.ts";

describe("an instant", () => {
  it.each([
    ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"],
    ["2030-01-01T00:00:00+01:00", "2029-12-31T23:00:00.000Z"],
    ["2030-01-01T00:00:00.5-02:30", "2030-01-01T02:30:00.500Z"],
  ])("of %s is %s in UTC", (text, expected) => {
    expect(instant.parse(text)).toBe(expected);
  });

  it.each(["2030-01-01", "2030-01-01T00:00:00", "2030-02-30T00:00:00Z", "tomorrow"])(
    "is not %s",
    (text) => {
      expect(instant.safeParse(text).success).toBe(false);
    },
  );

  it("lies in 1970 or later in UTC, whatever the zone", () => {
    expect(instant.safeParse("1970-01-01T00:30:00+01:00").success).toBe(false);
    expect(instant.safeParse("1969-12-31T23:30:00-01:00").success).toBe(true);
  });
});

it("metadata of a key names the allowed values and their length", () => {
  const messagesOf = (value: unknown) =>
    createKeyRequest.shape.metadata
      .safeParse({ a: value })
      .error?.issues.map(({ path, message }) => [path.join("/"), message]);
  expect(messagesOf({ b: 1 })).toEqual([["a", "A text, a number, true or false."]]);
  expect(messagesOf(null)).toEqual([["a", "A text, a number, true or false."]]);
  expect(messagesOf("x".repeat(501))).toEqual([["a", "At most 500 characters."]]);
});
