import { AuthorizationResponseError, ResponseBodyError } from "oauth4webapi";
import { describe, expect, it } from "vitest";
import { RequestError } from "../error-message.ts";
import { isUnreachable } from "./provider-failure.ts";

function refused(error: string, status = 400): ResponseBodyError {
  return new ResponseBodyError("refused", {
    cause: { error },
    response: new Response(null, { status }),
  });
}

const answered = (status: number) =>
  new RequestError("No", Object.assign(new Error("No"), { status }));

const inAddress = (error: string) =>
  new AuthorizationResponseError("no", { cause: new URLSearchParams({ error }) });

const MISREAD = Object.assign(new Error("unexpected status"), {
  cause: new Response(null, { status: 502 }),
});

describe("isUnreachable", () => {
  it.each([
    { why: "no connection", cause: new TypeError("Failed to fetch"), expected: true },
    { why: "no answer in time", cause: new DOMException("", "TimeoutError"), expected: true },
    { why: "a failing provider", cause: refused("server_error", 503), expected: true },
    { why: "an overloaded provider", cause: refused("slow_down", 429), expected: true },
    { why: "a proxy's page of an error", cause: MISREAD, expected: true },
    { why: "an overloaded page of the provider", cause: answered(429), expected: true },
    { why: "a failure in the address", cause: inAddress("server_error"), expected: true },
    { why: "a refusal in the address", cause: inAddress("login_required"), expected: false },
    { why: "a page that refuses", cause: answered(403), expected: false },
    { why: "a refusal", cause: refused("invalid_grant"), expected: false },
    { why: "an answer that cannot be trusted", cause: new Error("nonce"), expected: false },
  ])("$why: $expected", ({ cause, expected }) => {
    expect(isUnreachable(cause)).toBe(expected);
  });
});
