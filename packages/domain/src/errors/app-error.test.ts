import { describe, expect, it } from "vitest";
import { AppError, resourceNotFound } from "./app-error.ts";
import { ERROR_CODES, type ErrorCode, errorPageSlug, isErrorCode } from "./error-codes.ts";

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe("error codes", () => {
  it.each(codes)("%s has a status that says no, a title, and a page of its own", (code) => {
    expect(ERROR_CODES[code].status).toBeGreaterThanOrEqual(400);
    expect(ERROR_CODES[code].status).toBeLessThan(600);
    expect(ERROR_CODES[code].title).not.toBe("");
    expect(errorPageSlug(code)).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it("have no two pages with one address", () => {
    expect(new Set(codes.map(errorPageSlug)).size).toBe(codes.length);
  });

  it("are a closed set: a name that every object has is no code", () => {
    expect(isErrorCode("RATE_LIMITED")).toBe(true);
    for (const name of ["toString", "__proto__", "constructor", "rate_limited", ""]) {
      expect(isErrorCode(name)).toBe(false);
    }
  });
});

describe("AppError", () => {
  it("keeps the cause for the log and away from its message", () => {
    const cause = new Error("password=secret");
    const error = new AppError({ code: "INTERNAL_ERROR", publicMessage: "Sorry.", cause });
    expect(error.cause).toBe(cause);
    expect(error.message).toBe("Sorry.");
    expect(error).toMatchObject({ errors: [], extensions: {}, headers: {} });
  });

  it("says of what is missing only that it is missing", () => {
    expect(resourceNotFound("tenant").message).toBe("There is no such tenant.");
  });
});
