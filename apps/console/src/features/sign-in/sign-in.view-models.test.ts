import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPasswordRules } from "#components/password/password-rules.view-model.ts";
import { RequestError } from "#platform/error-message.ts";
import { SignInError } from "#platform/session/session.ts";
import { toRefusalMessage } from "./refusal.view-model.ts";
import { parseSignInAddress } from "./sign-in-address.ts";
import {
  findNewPasswordProblems,
  findRegistrationProblems,
  findSignInProblems,
  toRetryText,
  toSignInFailure,
} from "./sign-in-form.view-model.ts";

describe("the address of /login", () => {
  it.each([
    ["", { kind: "form" }],
    ["?interaction=abc", { kind: "form" }],
    ["?code=c&state=s&iss=i", { kind: "callback" }],
    ["?code=c", { kind: "form" }],
    ["?error=access_denied&state=s", { kind: "refused", code: "access_denied" }],
    ["?error=server_error&code=c&state=s", { kind: "refused", code: "server_error" }],
  ])("%s asks for %o", (search, expected) => {
    expect(parseSignInAddress(search)).toEqual(expected);
  });
});

describe("why a provider sent a person back", () => {
  it.each([
    "access_denied",
    "login_required",
    "interaction_required",
    "temporarily_unavailable",
    "server_error",
    "invalid_request",
    "sign_in_expired",
    "request_invalid",
    "sign_out_unconfirmed",
  ])("%s has a sentence of its own", (code) => {
    expect(toRefusalMessage(code)).not.toBe(toRefusalMessage("unknown"));
    expect(toRefusalMessage(code)).toMatch(/\.$/);
  });

  it("shows nothing of a code in the address", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 3 }), (code) => {
        expect(toRefusalMessage(`x ${code}`)).toBe(toRefusalMessage("unknown"));
      }),
    );
    expect(toRefusalMessage("__proto__")).toBe(toRefusalMessage("unknown"));
    expect(toRefusalMessage("constructor")).toBe(toRefusalMessage("unknown"));
  });
});

describe("the rules of a new password", () => {
  const areMet = (password: string, email = "ada@example.com") =>
    toPasswordRules(password, { email, lengthMin: 12 }).map(({ isMet }) => isMet);

  it("are ticked off as they are met", () => {
    expect(areMet("")).toEqual([false, false]);
    expect(areMet("short")).toEqual([false, true]);
    expect(areMet("twelve signs")).toEqual([true, true]);
  });

  it("count characters, not bytes", () => {
    expect(areMet("🦦".repeat(11))).toEqual([false, true]);
    expect(areMet("🦦".repeat(12))).toEqual([true, true]);
  });

  it("reject the address, or little more than it, as a password", () => {
    expect(areMet("ada@example.com")).toEqual([true, false]);
    expect(areMet("Ada@Example.com1!")).toEqual([true, false]);
    expect(areMet("ada@example.com-and-more")).toEqual([true, true]);
    expect(areMet("any-password-1", "")).toEqual([true, true]);
  });
});

describe("the errors of a form before it is sent", () => {
  it("are empty when it is filled in", () => {
    expect(findSignInProblems({ email: "a@b", password: "x" })).toEqual({});
    const filledIn = { email: "a@b.example", password: "gravel-otter-candle", lengthMin: 12 };
    expect(findRegistrationProblems(filledIn)).toEqual({});
  });

  it("are listed by field", () => {
    expect(findSignInProblems({ email: "", password: "" })).toEqual({
      email: "Enter your e-mail address.",
      password: "Enter your password.",
    });
    expect(findSignInProblems({ email: "ada", password: "x" }).email).toContain("valid e-mail");
    expect(findNewPasswordProblems({ email: "", password: "short", lengthMin: 12 })).toEqual({
      password: "Use at least 12 characters.",
    });
  });
});

function refusal(status: number, body: object, retryAfterSeconds?: number): RequestError {
  const message = "message" in body ? String(body.message) : "";
  return new RequestError(message, { status, data: { body }, retryAfterSeconds });
}

describe("the errors that a form shows for a failure", () => {
  it("are empty when nothing failed", () => {
    expect(toSignInFailure(null)).toBe(undefined);
  });

  it("say when to try again", () => {
    const cause = refusal(
      429,
      { message: "Too many attempts. Wait a while, then try again." },
      200,
    );
    expect(toSignInFailure(cause)?.messages).toEqual([
      "Too many attempts. Try again in about 4 minutes.",
    ]);
  });

  it("put the server's errors at their fields", () => {
    const errors = [{ pointer: "/password", message: "Use another one." }];
    expect(toSignInFailure(refusal(400, { message: "No.", errors }))).toEqual({
      messages: ["Use another one."],
      fields: { password: "Use another one." },
    });
  });

  it("say in a sentence what the provider refused, and that the server did not respond", () => {
    const refused = toSignInFailure(new SignInError("access_denied", "raw"));
    expect(refused?.messages[0]).toContain("cancelled");
    const silent = toSignInFailure(new RequestError("Failed to fetch", new TypeError("x")));
    expect(silent?.messages[0]).toContain("cannot be reached");
  });

  it.each([
    [0.2, "Try again in 1 second."],
    [40, "Try again in 40 seconds."],
    [89.5, "Try again in 90 seconds."],
    [90, "Try again in about 2 minutes."],
    [5_399, "Try again in about 2 hours."],
    [86_400, "Try again in about 24 hours."],
  ])("%d seconds are: %s", (seconds, text) => {
    expect(toRetryText(seconds)).toBe(text);
  });
});
