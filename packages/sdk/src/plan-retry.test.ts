import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ApiSettings, callApi } from "./call-api.ts";
import { TurnpikeRequestError, TurnpikeUnavailableError } from "./errors.ts";
import { planRetry, RETRY_BASE_MS, RETRY_CAP_MS, readRetryAfterMs } from "./plan-retry.ts";

const random = fc.double({ min: 0, max: 0.999999, noNaN: true });

describe("when to ask again", () => {
  it("waits what was asked for, at most the doubled bound more, and never up to the deadline", () => {
    fc.assert(
      fc.property(
        fc.record({
          failures: fc.integer({ min: 1, max: 40 }),
          retriesMax: fc.integer({ min: 0, max: 40 }),
          retryAfterMs: fc.integer({ min: 0, max: 20_000 }),
          remainingMs: fc.integer({ min: -1_000, max: 20_000 }),
          random,
        }),
        (input) => {
          const waitMs = planRetry(input);
          const boundMs = Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** (input.failures - 1));
          const jitterMs = input.random * boundMs;
          if (
            input.failures > input.retriesMax ||
            input.retryAfterMs + jitterMs >= input.remainingMs
          ) {
            expect(waitMs).toBeUndefined();
            return;
          }
          expect(waitMs).toBeGreaterThanOrEqual(input.retryAfterMs);
          expect(waitMs).toBeLessThan(input.retryAfterMs + boundMs);
          expect(waitMs).toBeLessThan(input.remainingMs);
        },
      ),
    );
  });

  it.each([
    [null, 0],
    ["3", 3_000],
    ["soon", 0],
    ["-1", 0],
    ["Thu, 01 Jan 1970 00:01:00 GMT", 50_000],
    ["Thu, 01 Jan 1970 00:00:05 GMT", 0],
  ])("reads Retry-After %j as %i ms, ten seconds after 1970 began", (value, expected) => {
    expect(readRetryAfterMs(value, 10_000)).toBe(expected);
  });
});

/** One attempt as the network answers it. */
type Step = { takesMs: number; status: number | "broken"; retryAfter?: number; code?: string };

const CODES: Readonly<Record<number, string>> = { 409: "IDEMPOTENCY_KEY_IN_USE" };

/** Runs a call against a network and a clock of its own; nothing really waits. */
function play(steps: readonly Step[], settings: Partial<ApiSettings> & { random: number }) {
  let nowMs = 0;
  const attempts: { atMs: number; idempotencyKey: string | null }[] = [];
  const runtime = {
    nowMs: () => nowMs,
    epochMs: () => nowMs,
    random: () => settings.random,
    newId: () => "id",
    sleep: async (ms: number) => {
      nowMs += ms;
    },
    fetch: async (_url: string, init: RequestInit) => {
      const step = steps[attempts.length] ?? { takesMs: 1, status: 200 };
      const headers = new Headers(init.headers);
      attempts.push({ atMs: nowMs, idempotencyKey: headers.get("idempotency-key") });
      nowMs += step.takesMs;
      if (typeof step.status === "string") {
        throw new TypeError("fetch failed");
      }
      const code = step.code ?? CODES[step.status];
      return new Response(JSON.stringify({ status: step.status, code }), {
        status: step.status,
        headers: step.retryAfter === undefined ? {} : { "retry-after": String(step.retryAfter) },
      });
    },
  };
  const outcome = callApi(
    {
      runtime,
      url: "http://turnpike.test",
      serviceKey: "tp_svc_x",
      timeoutMs: 2_000,
      deadlineMs: 3_000,
      retriesMax: 2,
      ...settings,
    },
    { path: "/v1/keys/verify", body: {}, idempotencyKey: "same", isRepeatable: true },
  ).then(
    ({ json }) => ({ json, error: undefined }),
    (error: unknown) => ({ json: undefined, error }),
  );
  return { attempts, outcome, nowMs: () => nowMs };
}

describe("asking", () => {
  const step = fc.record({
    takesMs: fc.integer({ min: 0, max: 500 }),
    status: fc.constantFrom(200, 409, 429, 500, 502, 503, 504, "broken" as const),
    retryAfter: fc.integer({ min: 0, max: 3 }),
  });

  it("begins no attempt at or after the deadline, none too early, and none too many", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 4_000 }),
        random,
        async (steps, retriesMax, deadlineMs, chance) => {
          const run = play(steps, { retriesMax, deadlineMs, random: chance });
          const { json, error } = await run.outcome;
          expect(run.attempts.length).toBeLessThanOrEqual(retriesMax + 1);
          for (const [at, attempt] of run.attempts.entries()) {
            expect(attempt.atMs).toBeLessThan(deadlineMs);
            expect(attempt.idempotencyKey).toBe("same");
            const before = steps[at - 1];
            const previous = run.attempts[at - 1];
            if (before !== undefined && previous !== undefined) {
              const askedMs = before.status === "broken" ? 0 : (before.retryAfter ?? 0) * 1_000;
              const spentMs = attempt.atMs - previous.atMs;
              expect(spentMs).toBeGreaterThanOrEqual(before.takesMs + askedMs - 0.001);
            }
          }
          const last = steps[run.attempts.length - 1]?.status ?? 200;
          if (last === 200) {
            expect(json).toEqual({ status: 200 });
          } else {
            expect(error).toBeInstanceOf(TurnpikeUnavailableError);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([500, 501, 429])("does not ask again after %i without Retry-After", async (status) => {
    const run = play([{ takesMs: 1, status }], { random: 0 });
    expect((await run.outcome).error).toBeInstanceOf(TurnpikeUnavailableError);
    expect(run.attempts).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 409])(
    "gives up at once when the question is refused by %i",
    async (status) => {
      const run = play([{ takesMs: 1, status, code: "REFUSED" }], { random: 0 });
      const { error } = await run.outcome;
      expect(error).toBeInstanceOf(TurnpikeRequestError);
      expect(error).toMatchObject({ status, code: "REFUSED" });
      expect(run.attempts).toHaveLength(1);
    },
  );

  it.each([201, 301, 302, 308, 400, 401, 403, 404, 405])(
    "takes a %i without a code of Turnpike's for no answer of it, and does not ask again at once",
    async (status) => {
      const run = play([{ takesMs: 1, status, retryAfter: 1 }], { random: 0 });
      const { error } = await run.outcome;
      expect(error).toBeInstanceOf(TurnpikeUnavailableError);
      expect(error).toMatchObject({ message: `What answered ${String(status)} is not Turnpike` });
      expect(run.attempts).toHaveLength(1);
    },
  );

  it("takes a question that came too slowly for none that is refused", async () => {
    const step = { takesMs: 1, status: 408, code: "REQUEST_TIMEOUT" };
    const run = play([step], { random: 0 });
    expect((await run.outcome).error).toBeInstanceOf(TurnpikeUnavailableError);
    expect(run.attempts).toHaveLength(1);
  });
});
