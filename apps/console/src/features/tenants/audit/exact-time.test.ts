import { expect, it } from "vitest";
import { toExactTime } from "./exact-time.ts";

it("keeps the second, in UTC regardless of the reader’s zone", () => {
  const { local, utc } = toExactTime("2026-11-21T05:53:56.789Z");
  expect(utc).toBe("2026-11-21 05:53:56 UTC");
  expect(local).toMatch(/:53:56/);
});
