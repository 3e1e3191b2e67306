import { AuthErrorCodes } from "@firebase/auth";
import * as oauth from "oauth4webapi";
import { describe, expect, it } from "vitest";
import { RequestError } from "../error-message.ts";
import { SignInError } from "./session.ts";
import { BUILT_IN_CODES, FIREBASE_CODES, LIBRARY_CODES, OPENID_CODES } from "./sign-in-codes.ts";
import { getSignInProblem, SIGN_IN_CAUSES } from "./sign-in-problems.ts";
import { toSignInMessage, toSignInProblem } from "./to-sign-in-problem.ts";

const inAddress = (error: string) =>
  new oauth.AuthorizationResponseError("no", { cause: new URLSearchParams({ error }) });
const inBody = (error: string) =>
  new oauth.ResponseBodyError("refused", {
    cause: { error },
    response: new Response(null, { status: 400 }),
  });
const fromServer = (code: string, status = 400) =>
  new RequestError("The server’s own sentence.", {
    status,
    data: { body: { code, message: "The server’s own sentence." } },
  });
const withCode = (code: string) => Object.assign(new Error("refused"), { code });

describe("the problem of a failed sign-in", () => {
  it("has a title, whole sentences and a way on for every cause", () => {
    const untold = SIGN_IN_CAUSES.filter((cause) => {
      const { title, sentence, wayOn } = getSignInProblem(cause);
      return !/^\S.*[^.]$/.test(title) || !/^[A-Z].*\.$/.test(sentence) || wayOn.length === 0;
    });
    expect(untold).toEqual([]);
    expect(SIGN_IN_CAUSES.length).toBeGreaterThan(35);
  });

  it.each([
    ["a blocked window", "auth/popup-blocked", "popup_blocked", "use_redirect"],
    ["a closed window", "auth/popup-closed-by-user", "popup_closed", "retry"],
    ["a second window", "auth/cancelled-popup-request", "popup_replaced", "none"],
    ["a foreign domain", "auth/unauthorized-domain", "unauthorised_address", "contact_operator"],
    ["no network", "auth/network-request-failed", "network_failed", "check_connection"],
    ["a wrong password", "auth/wrong-password", "wrong_credentials", "reset_password"],
    ["an unknown account", "auth/user-not-found", "wrong_credentials", "reset_password"],
    ["too many attempts", "auth/too-many-requests", "too_many_attempts", "retry_later"],
    ["a taken address", "auth/email-already-in-use", "email_in_use", "sign_in_again"],
    ["a weak password", "auth/weak-password", "weak_password", "choose_other_password"],
    ["a disabled account", "auth/user-disabled", "account_disabled", "contact_operator"],
    ["no storage", "auth/web-storage-unsupported", "storage_blocked", "allow_storage"],
    ["an old link", "auth/expired-action-code", "link_unusable", "ask_for_new_link"],
    ["a code of tomorrow", "auth/not-in-any-list", "internal", "retry"],
  ])("of Firebase, %s (%s): %s, %s", (_why, code, cause, wayOn) => {
    expect(toSignInProblem(withCode(code))).toMatchObject({ cause, wayOn });
  });

  it("knows every code of Firebase’s library", () => {
    const codes = Object.values(AuthErrorCodes).map((code) => code.replace(/^auth\//, ""));
    expect(codes.filter((code) => !Object.hasOwn(FIREBASE_CODES, code))).toEqual([]);
  });

  it("knows every error of OpenID Connect, in an address and in a body", () => {
    for (const [code, cause] of Object.entries(OPENID_CODES)) {
      expect([code, toSignInProblem(inAddress(code)).cause]).toEqual([code, cause]);
      expect([code, toSignInProblem(inBody(code)).cause]).toEqual([code, cause]);
      expect([code, toSignInProblem(new SignInError(code, "x")).cause]).toEqual([code, cause]);
    }
    expect(toSignInMessage(inBody("odd_code"))).toMatch(/odd_code/);
  });

  it("keeps the server’s sentence and adds the way on", () => {
    for (const [code, cause] of Object.entries(BUILT_IN_CODES)) {
      expect(toSignInProblem(fromServer(code))).toMatchObject({
        cause,
        sentence: "The server’s own sentence.",
      });
    }
    expect(toSignInProblem(fromServer("NEW_CODE", 500)).cause).toBe("internal");
  });

  it("tells a wrong clock from an answer that cannot be trusted", () => {
    const known = Object.entries(oauth).flatMap(([, value]) =>
      typeof value === "string" && value.startsWith("OAUTH_") ? [value] : [],
    );
    expect(Object.keys(LIBRARY_CODES).filter((code) => !known.includes(code))).toEqual([]);
    expect(toSignInProblem(withCode(oauth.JWT_TIMESTAMP_CHECK)).wayOn).toBe("set_clock");
    expect(toSignInProblem(withCode(oauth.JWT_CLAIM_COMPARISON)).cause).toBe("untrusted_answer");
    expect(toSignInProblem(new Error("nonce")).cause).toBe("untrusted_answer");
  });

  it("tells a failing provider, a broken connection and blocked storage apart", () => {
    const failed = new oauth.OperationProcessingError("unexpected status", {
      code: oauth.RESPONSE_IS_NOT_CONFORM,
      cause: new Response(null, { status: 502 }),
    });
    expect(toSignInProblem(failed).cause).toBe("provider_failed");
    expect(toSignInProblem(new TypeError("Failed to fetch")).cause).toBe("network_failed");
    expect(toSignInProblem(new RequestError("x", new TypeError("x"))).cause).toBe("network_failed");
    expect(toSignInProblem(new DOMException("", "SecurityError")).cause).toBe("storage_blocked");
  });

  it("uses our own reason, and no property of objects as a cause", () => {
    expect(toSignInProblem(new SignInError("x", "Because."))).toMatchObject({
      cause: "access_denied",
      sentence: "Because.",
    });
    expect(toSignInMessage(new SignInError("__proto__", "Because."))).toBe("Because.");
    expect(toSignInMessage(new SignInError("popup_blocked", ""))).toMatch(/pop-up/);
  });
});
