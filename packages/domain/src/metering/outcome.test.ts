import { describe, expect, it } from "vitest";
import { isBillableStatus } from "./outcome.ts";

describe("isBillableStatus", () => {
  it.each([101, 200, 201, 204, 206, 299, 304])("bills %i", (status) => {
    expect(isBillableStatus(status)).toBe(true);
  });
  it.each([
    0, 100, 102, 103, 199, 300, 301, 302, 303, 305, 400, 401, 404, 429, 499, 500, 502, 504, 599,
  ])("does not bill %i", (status) => {
    expect(isBillableStatus(status)).toBe(false);
  });
});
