import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { waitAtStart } from "./start-wait.ts";

describe("waitAtStart", () => {
  const lines: string[] = [];
  const infos: string[] = [];
  const logger = {
    info: (_fields: object, message: string) => infos.push(message),
    warn: (_fields: object, message: string) => lines.push(message),
  };
  const input = { what: "The database at db.example", hint: "Check that it runs", logger };
  const hanging = () => new Promise<string>(() => undefined);

  beforeEach(() => {
    lines.length = 0;
    infos.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("says nothing about an answer that comes at once", async () => {
    expect(await waitAtStart(input, () => Promise.resolve("an answer"))).toBe("an answer");
    await vi.advanceTimersByTimeAsync(600_000);
    expect(lines).toEqual([]);
  });

  it("passes on what the work throws", async () => {
    const failing = waitAtStart(input, () => Promise.reject(new Error("refused")));
    await expect(failing).rejects.toThrow("refused");
  });

  it("says what it waits for, again and again, and takes an answer after two minutes", async () => {
    const answer = Promise.withResolvers<string>();
    const waiting = waitAtStart(input, () => answer.promise);
    await vi.advanceTimersByTimeAsync(2_900);
    expect(lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    // What a first start on a slow disk takes is no warning.
    expect([infos.length, lines.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(107_100);
    expect(lines.length).toBeGreaterThan(5);
    expect(new Set(lines)).toEqual(
      new Set(["The database at db.example has not answered yet: the start waits for it"]),
    );
    answer.resolve("late");
    expect(await waiting).toBe("late");
  });

  it("gives up after three minutes with a sentence that says what to do", async () => {
    let signal: AbortSignal | undefined;
    const refused = expect(
      waitAtStart(input, (given) => {
        signal = given;
        return hanging();
      }),
    ).rejects.toMatchObject({
      code: "DATABASE_UNREACHABLE",
      message: "The database at db.example did not answer within 3 minutes",
      hint: "Check that it runs",
    });
    await vi.advanceTimersByTimeAsync(179_999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
    expect(signal?.aborted).toBe(true);
  });
});
