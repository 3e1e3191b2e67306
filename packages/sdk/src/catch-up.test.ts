import { expect, it, vi } from "vitest";
import { createCatchUp, type GivenUp } from "./catch-up.ts";
import { TurnpikeUnavailableError } from "./errors.ts";
import { refuse, VALID_REPLY } from "./fake-turnpike.fixture.ts";
import type { VerifyReply, VerifyRequest } from "./verification.ts";

const LIMITED = refuse("RATE_LIMITED");

/** A queue whose time passes when the test says so, and a Turnpike that answers as it says. */
function play(
  answer: (request: VerifyRequest, atMs: number) => VerifyReply | Error,
  onGivenUp?: (call: GivenUp) => void,
) {
  let nowMs = 0;
  let ids = 0;
  const sleepers: { atMs: number; wake: () => void }[] = [];
  const asked: { key: string; atMs: number; idempotencyKey: string }[] = [];
  const givenUp: GivenUp[] = [];
  const settled: string[] = [];
  const catchUp = createCatchUp({
    runtime: {
      fetch: () => Promise.reject(new Error("there is no network here")),
      nowMs: () => nowMs,
      epochMs: () => nowMs,
      random: () => 0.5,
      newId: () => {
        ids += 1;
        return `new-${String(ids)}`;
      },
      sleep: (ms) =>
        new Promise((wake) => {
          sleepers.push({ atMs: nowMs + ms, wake });
        }),
    },
    verify: async (request, idempotencyKey) => {
      asked.push({ key: request.key, atMs: nowMs, idempotencyKey });
      const reply = answer(request, nowMs);
      if (reply instanceof Error) {
        throw reply;
      }
      return reply;
    },
    ageSecondsMax: 3_600,
    onSettled: (outcome) => settled.push(outcome),
    onGivenUp: onGivenUp ?? ((call) => givenUp.push(call)),
  });
  const rest = () => new Promise((resolve) => setImmediate(resolve));
  return {
    catchUp,
    asked,
    givenUp,
    settled,
    rest,
    add(key: string): void {
      catchUp.add({ request: { key }, idempotencyKey: `first-${key}`, letThroughAtMs: nowMs });
    },
    async pass(ms: number): Promise<void> {
      const endMs = nowMs + ms;
      for (;;) {
        await rest();
        sleepers.sort((one, other) => one.atMs - other.atMs);
        const next = sleepers[0];
        if (next === undefined || next.atMs > endMs) {
          break;
        }
        sleepers.shift();
        nowMs = next.atMs;
        next.wake();
      }
      nowMs = endMs;
    },
  };
}

it("asks about a call that waits for its rate limit no sooner than Turnpike said, also when other calls are answered meanwhile", async () => {
  const run = play((_request, atMs) =>
    atMs < 60_000 ? { ...LIMITED, retryAfterSeconds: 60 } : VALID_REPLY,
  );
  run.add("k");
  for (let calls = 0; calls < 590; calls += 1) {
    await run.pass(100);
    run.catchUp.wake();
  }
  expect(run.asked).toEqual([{ key: "k", atMs: 0, idempotencyKey: "first-k" }]);
  await run.pass(2_000);
  expect(run.asked).toHaveLength(2);
  expect(run.asked[1]?.atMs).toBeGreaterThanOrEqual(60_000);
  expect(run.asked[1]?.idempotencyKey).toBe("new-1");
  expect(run.catchUp.size()).toBe(0);
});

it("asks about one call of a key in each window of its rate limit in vain, however many wait", async () => {
  const PER_SECOND = 10;
  const passed = new Map<number, number>();
  const run = play((_request, atMs) => {
    const second = Math.floor(atMs / 1_000);
    const before = passed.get(second) ?? 0;
    passed.set(second, Math.min(PER_SECOND, before + 1));
    return before < PER_SECOND ? VALID_REPLY : { ...LIMITED, retryAfterSeconds: 1 };
  });
  for (let calls = 0; calls < 100; calls += 1) {
    run.add("k");
  }
  await run.pass(30_000);
  expect(run.catchUp.size()).toBe(0);
  expect(run.asked.length).toBeLessThan(115);
  expect(run.settled).toEqual(Array.from({ length: 100 }, () => "verified"));
});

it("goes on with other keys while one waits, also with those that come later", async () => {
  const run = play(({ key }) =>
    key === "limited" ? { ...LIMITED, retryAfterSeconds: 60 } : VALID_REPLY,
  );
  run.add("limited");
  run.add("other");
  await run.rest();
  run.add("later");
  await run.rest();
  expect(run.asked.map(({ key }) => key)).toEqual(["limited", "other", "later"]);
  expect(run.catchUp.size()).toBe(1);
});

it("waits for units of a quota that other processes hold, and asks anew when they may be back", async () => {
  const held = { ...refuse("QUOTA_EXCEEDED"), retryAfterSeconds: 1 };
  const run = play((_request, atMs) => (atMs < 3_000 ? held : VALID_REPLY));
  run.add("k");
  await run.pass(5_000);
  expect(run.asked.map(({ idempotencyKey }) => idempotencyKey)).toEqual([
    "first-k",
    "new-1",
    "new-2",
    "new-3",
  ]);
  expect(run.asked[1]?.atMs).toBeGreaterThanOrEqual(1_000);
  expect([run.settled, run.givenUp]).toEqual([["verified"], []]);
});

it("waits no longer for units of a quota than they may be held", async () => {
  const run = play(() => ({ ...refuse("QUOTA_EXCEEDED"), retryAfterSeconds: 1 }));
  run.add("k");
  await run.pass(89_000);
  expect(run.givenUp).toEqual([]);
  await run.pass(3_000);
  const refused = { request: { key: "k" }, reason: "refused", code: "QUOTA_EXCEEDED" };
  expect(run.givenUp).toEqual([refused]);
});

it.each([undefined, 6, 86_400])(
  "gives up a call at once whose quota is used up for %s seconds",
  async (retryAfterSeconds) => {
    const run = play(() => ({ ...refuse("QUOTA_EXCEEDED"), retryAfterSeconds }));
    run.add("k");
    await run.rest();
    const refused = { request: { key: "k" }, reason: "refused", code: "QUOTA_EXCEEDED" };
    expect(run.givenUp).toEqual([refused]);
    expect(run.asked).toHaveLength(1);
  },
);

it("gives up a call that is too old while it waits", async () => {
  const run = play(() => ({ ...LIMITED, retryAfterSeconds: 86_400 }));
  run.add("k");
  await run.pass(3_599_000);
  expect(run.givenUp).toEqual([]);
  await run.pass(2_000);
  expect(run.givenUp).toEqual([{ request: { key: "k" }, reason: "too_old", code: "" }]);
  expect(run.asked).toHaveLength(1);
});

it("goes on with other calls while an earlier attempt of one is under way", async () => {
  const underWay = new TurnpikeUnavailableError("Turnpike answered 409", {
    code: "IDEMPOTENCY_KEY_IN_USE",
    retryAfterMs: 1_000,
  });
  const run = play(({ key }, atMs) => (key === "stuck" && atMs < 5_000 ? underWay : VALID_REPLY));
  run.add("stuck");
  run.add("other");
  await run.rest();
  expect(run.asked.map(({ key }) => key)).toEqual(["stuck", "other"]);
  await run.pass(4_900);
  expect(run.asked.length).toBeLessThanOrEqual(6);
  await run.pass(2_000);
  expect(run.catchUp.size()).toBe(0);
  expect(new Set(run.asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
});

it("tries at once when Turnpike is back, and once a second when it answers others alone", async () => {
  let isAway = true;
  const run = play(() => (isAway ? new TurnpikeUnavailableError("away") : VALID_REPLY));
  run.add("k");
  await run.pass(60_000);
  const before = run.asked.length;
  for (let calls = 0; calls < 100; calls += 1) {
    run.catchUp.wake();
    await run.pass(100);
  }
  expect(run.asked.length - before).toBeGreaterThan(5);
  expect(run.asked.length - before).toBeLessThanOrEqual(11);
  isAway = false;
  await run.pass(1_000);
  run.catchUp.wake();
  await run.rest();
  expect(run.catchUp.size()).toBe(0);
});

it("gives up what is let through after it was closed", async () => {
  const run = play(() => VALID_REPLY);
  run.catchUp.close();
  run.add("k");
  await run.rest();
  expect(run.catchUp.size()).toBe(0);
  expect(run.asked).toEqual([]);
  expect(run.settled).toEqual(["given_up"]);
  expect(run.givenUp).toEqual([{ request: { key: "k" }, reason: "closed", code: "" }]);
});

it("goes on behind a listener that throws, and throws that where everybody sees it", async () => {
  const mistake = new Error("no such log");
  const run = play(
    ({ key }) => (key === "gone" ? { ...LIMITED, code: "REVOKED" } : VALID_REPLY),
    () => {
      throw mistake;
    },
  );
  const thrown: (() => void)[] = [];
  const microtasks = vi
    .spyOn(globalThis, "queueMicrotask")
    .mockImplementation((task) => thrown.push(task));
  try {
    for (const key of ["gone", "one", "two"]) {
      run.add(key);
    }
    await run.pass(1_000);
    run.add("three");
    await run.pass(1_000);
  } finally {
    microtasks.mockRestore();
  }
  expect(run.asked.map(({ key }) => key)).toEqual(["gone", "one", "two", "three"]);
  expect(run.catchUp.size()).toBe(0);
  expect(thrown).toHaveLength(1);
  expect(thrown[0]).toThrow(mistake);
});
