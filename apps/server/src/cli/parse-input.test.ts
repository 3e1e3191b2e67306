import { expect, it } from "vitest";
import { toInstant } from "./parse-input.ts";
import { UsageError } from "./usage-error.ts";

it("an option is a day or an instant with its zone, and else says what is wrong", () => {
  expect(toInstant("2026-01-31")).toBe("2026-01-31T00:00:00.000Z");
  expect(toInstant("2026-01-01T00:30+02:00")).toBe("2025-12-31T22:30:00.000Z");
  expect(() => toInstant("2026-02-30")).toThrow(UsageError);
  expect(() => toInstant("2026-02-30")).toThrow(/no month has/);
});
