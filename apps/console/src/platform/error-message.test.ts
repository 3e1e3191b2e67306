import { ORPCError } from "@orpc/client";
import { describe, expect, it } from "vitest";
import { RequestError, rethrowReadable, toErrorMessage, UNKNOWN_FAILURE } from "./error-message.ts";

function answered(body: unknown, message = "Bad Gateway") {
  return new ORPCError("BAD_GATEWAY", { status: 502, message, data: { body } });
}

function thrownBy(cause: unknown): unknown {
  try {
    return rethrowReadable(cause);
  } catch (error) {
    return error;
  }
}

describe("toErrorMessage", () => {
  const cases: readonly { why: string; cause: unknown; message: string }[] = [
    {
      why: "the body's error field comes first",
      cause: answered({ error: "From error", message: "From message" }),
      message: "From error",
    },
    {
      why: "then the body's message field",
      cause: answered({ message: "From message" }),
      message: "From message",
    },
    {
      why: "a field that is no text is passed over",
      cause: answered({ error: { nested: true }, message: "From message" }),
      message: "From message",
    },
    {
      why: "an empty field is passed over",
      cause: answered({ error: " ", message: "" }),
      message: "Bad Gateway",
    },
    {
      why: "a body that is no object leaves the transport's message",
      cause: answered("<html>"),
      message: "Bad Gateway",
    },
    {
      why: "no answer at all leaves the transport's message",
      cause: new TypeError("Failed to fetch"),
      message: "Failed to fetch",
    },
    {
      why: "a transport without a message leaves the fixed text",
      cause: { message: "" },
      message: UNKNOWN_FAILURE,
    },
    { why: "something thrown that is no error", cause: undefined, message: UNKNOWN_FAILURE },
  ];

  it.each(cases)("$why", ({ cause, message }) => {
    expect(toErrorMessage(cause)).toBe(message);
  });

  it("says exactly what the specification says when nothing is known", () => {
    expect(UNKNOWN_FAILURE).toBe("Something went wrong");
  });
});

describe("rethrowReadable", () => {
  it("throws the failure again with its status, code, request id and field errors", () => {
    const cause = answered({
      error: "The name is too long.",
      code: "VALIDATION_FAILED",
      requestId: "req_1",
      errors: [{ pointer: "/name", message: "At most 100 characters.", fix: "Shorten it." }, 7],
    });

    const thrown = thrownBy(cause);

    expect(thrown).toBeInstanceOf(RequestError);
    expect(thrown).toMatchObject({
      message: "The name is too long.",
      status: 502,
      code: "VALIDATION_FAILED",
      requestId: "req_1",
      fieldErrors: [{ pointer: "/name", message: "At most 100 characters.", fix: "Shorten it." }],
      cause,
    });
  });

  it("does not wrap twice", () => {
    const first = thrownBy(new TypeError("Failed to fetch"));
    expect(thrownBy(first)).toBe(first);
  });

  it("leaves a request that the page ended alone", () => {
    const abort = new DOMException("aborted", "AbortError");
    expect(thrownBy(abort)).toBe(abort);
  });
});
