import { describe, expect, it } from "vitest";
import { parseInstant } from "./parse-instant.ts";

describe("parseInstant", () => {
  it.each([
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"],
    ["2026-01-01T00:30+02:00", "2025-12-31T22:30:00.000Z"],
    ["2026-02-28T23:30:00-02:00", "2026-03-01T01:30:00.000Z"],
  ])("reads %s as an instant in UTC", (text, instant) => {
    expect(parseInstant(text)).toEqual({ instant });
  });

  it.each(["2026-02-29", "2026-02-30", "2026-04-31T09:30:00Z", "2026-02-31T00:30+02:00"])(
    "refuses the day that %s names and no calendar has",
    (text) => {
      expect(parseInstant(text)).toEqual({ fault: expect.stringContaining("no month has") });
    },
  );

  it.each(["soon", "2026-13-01", "2026-01-32", "2026-01-31T09:30:00", "31.01.2026"])(
    "refuses %s",
    (text) => {
      expect(parseInstant(text)).toEqual({
        fault: expect.stringContaining("is not a date such as"),
      });
    },
  );
});
