import { AppError } from "@turnpike/domain/errors/app-error";
import { describe, expect, it } from "vitest";
import { createProblemRenderer, toAppError } from "./problem-details.ts";

const render = createProblemRenderer("https://turnpike.example.com/docs");

describe("createProblemRenderer", () => {
  it("adds what belongs to the failure and lets it replace nothing", () => {
    const error = new AppError({
      code: "RATE_LIMITED",
      publicMessage: "Slow down.",
      extensions: { limit: 10, status: 200, code: "VALID", requestId: "forged" },
      headers: { "retry-after": "7" },
    });
    const problem = render(error, "req_1");
    expect(problem.status).toBe(429);
    expect(problem.headers).toMatchObject({ "retry-after": "7", "cache-control": "no-store" });
    expect(problem.body).toMatchObject({
      limit: 10,
      status: 429,
      code: "RATE_LIMITED",
      requestId: "req_1",
      type: "https://turnpike.example.com/docs/errors/rate-limited",
    });
  });

  it.each([new Error("select * from secrets"), "text", undefined, { code: "RATE_LIMITED" }])(
    "says nothing of what was thrown: %j",
    (thrown) => {
      const { status, body } = render(thrown, "req_1");
      expect(status).toBe(500);
      expect(JSON.stringify(body)).not.toContain("secrets");
      expect(body.code).toBe("INTERNAL_ERROR");
    },
  );
});

describe("toAppError", () => {
  it.each(["ECONNREFUSED", "CONNECTION_CLOSED", "57P01", "08006", "57014", "ETIMEDOUT"])(
    "takes %s for a database that is away, worth trying again",
    (code) => {
      const error = toAppError(Object.assign(new Error("gone"), { code }));
      expect(error).toMatchObject({
        code: "DATABASE_UNAVAILABLE",
        headers: { "retry-after": "2" },
      });
      expect(error.cause).toBeInstanceOf(Error);
    },
  );

  it("takes a file that is missing for a fault of ours, and a missing socket for a database that is away", () => {
    const missing = (syscall: string) =>
      toAppError(Object.assign(new Error("no such file"), { code: "ENOENT", syscall })).code;
    expect(missing("open")).toBe("INTERNAL_ERROR");
    expect(missing("connect")).toBe("DATABASE_UNAVAILABLE");
  });

  it("takes a refusal of a statement for a fault of ours", () => {
    expect(toAppError(Object.assign(new Error("no"), { code: "42P01" })).code).toBe(
      "INTERNAL_ERROR",
    );
  });
});
