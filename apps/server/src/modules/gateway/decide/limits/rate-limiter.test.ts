import type { RateLimit } from "@turnpike/domain/limits/rate-limit";
import { describe, expect, it } from "vitest";
import { createSharedRateMemory, openSharedRateTable } from "#platform/shared-rate-table.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";

const limit = (name: string, calls: number, windowSeconds: number): RateLimit => ({
  name,
  limit: calls,
  windowSeconds,
});

/** Two limiters of one clock: of the shared kind, as two threads of a process have them. */
function openLimiters(kind: "memory" | "shared") {
  let time = 10;
  const nowMs = () => time;
  const memory = createSharedRateMemory(64);
  const open = (holder: number) =>
    createRateLimiter({
      table: openSharedRateTable(memory, { holder, whenFull: "refuse", nowMs }),
    });
  const own = createRateLimiter({ monotonicMs: nowMs, bucketsMax: 64 });
  return {
    here: kind === "memory" ? own : open(1),
    there: kind === "memory" ? own : open(2),
    wait: (ms: number) => {
      time += ms;
    },
  };
}

function decide(limiter: RateLimiter, owner: string, rateLimits: readonly RateLimit[], cost = 1) {
  return { owner, verdicts: limiter.decide({ owner, rateLimits, scope: "tenant", cost }) };
}

function remaining(limiter: RateLimiter, owner: string, rateLimit: RateLimit): number | undefined {
  return decide(limiter, owner, [rateLimit], 0).verdicts[0]?.decision.remaining;
}

describe.each(["memory", "shared"] as const)("rate limits in %s", (kind) => {
  it("takes of every owner, and refuses what is used up", () => {
    const { here, there } = openLimiters(kind);
    const minute = limit("minute", 2, 60);
    for (const limiter of [here, there]) {
      const owners = [decide(limiter, "tenant", [minute]), decide(limiter, "key", [minute])];
      expect(owners.flatMap(({ verdicts }) => verdicts.map((one) => one.decision.allowed))).toEqual(
        [true, true],
      );
      expect(limiter.take(owners)).toBeUndefined();
    }
    expect(decide(here, "tenant", [minute]).verdicts[0]?.decision.allowed).toBe(false);
    expect(remaining(there, "key", minute)).toBe(0);
    expect(remaining(there, "another key", minute)).toBe(2);
  });

  it("tells limits of a owner apart by their names, however many there were", () => {
    const { here } = openLimiters(kind);
    const limits = Array.from({ length: 30 }, (_, index) => limit(`l${String(index)}`, 2, 60));
    for (const [index, one] of limits.entries()) {
      // One call under each of the first half, two under each of the rest.
      for (let call = 0; call < (index < 15 ? 1 : 2); call += 1) {
        expect(here.take([decide(here, "tenant", [one])])).toBeUndefined();
      }
    }
    expect(limits.map((one) => remaining(here, "tenant", one))).toEqual(
      limits.map((_, index) => (index < 15 ? 1 : 0)),
    );
  });

  it("lets pass what a raised limit has room for, and finds the old one as it was left", () => {
    const { here } = openLimiters(kind);
    const low = limit("per-day", 2, 86_400);
    const high = limit("per-day", 4, 86_400);
    for (const one of [low, low, high]) {
      expect(here.take([decide(here, "tenant", [one])])).toBeUndefined();
    }
    expect(remaining(here, "tenant", high)).toBe(3);
    expect(remaining(here, "tenant", low)).toBe(0);
  });

  it("is not closed for a long window when a plan has a short one of the same name", () => {
    const { here } = openLimiters(kind);
    const day = limit("calls", 1, 86_400);
    const second = limit("calls", 1, 1);
    expect(here.take([decide(here, "tenant", [day])])).toBeUndefined();
    expect(decide(here, "tenant", [second]).verdicts[0]?.decision.allowed).toBe(true);
    expect(decide(here, "tenant", [day]).verdicts[0]?.decision.allowed).toBe(false);
  });
});

describe.each(["memory", "shared"] as const)("the memory of rate limits, %s", (kind) => {
  const many = limit("many", 1_000, 86_400);
  const few = limit("few", 10, 86_400);
  const takeOf = (limiter: RateLimiter, tenant: string, key: string) =>
    limiter.take([decide(limiter, tenant, [many]), decide(limiter, key, [few])]);

  /** Uses keys of a tenant, each with a limit of its own, until a call is refused. @returns How many were not. */
  function flood(limiter: RateLimiter, tenant: string): number {
    for (let count = 0; ; count += 1) {
      try {
        expect(takeOf(limiter, tenant, `${tenant} key ${String(count)}`)).toBeUndefined();
      } catch (error) {
        expect(error).toMatchObject({ code: "OVERLOADED", headers: { "retry-after": "1" } });
        return count;
      }
    }
  }

  it("has room for another tenant when one uses any number of keys with limits of their own", () => {
    const { here } = openLimiters(kind);
    const used = flood(here, "greedy");
    expect(used).toBeGreaterThanOrEqual(30);
    for (let key = 0; key < 9; key += 1) {
      expect(takeOf(here, "quiet", `quiet key ${String(key)}`)).toBeUndefined();
    }
    expect(remaining(here, "quiet", many)).toBe(991);
    // What the greedy tenant as a whole has used is not forgotten.
    expect(remaining(here, "greedy", many)).toBe(1_000 - used);
  });

  it("is free again once the buckets are full", () => {
    const { here, wait } = openLimiters(kind);
    const before = flood(here, "greedy");
    wait(2 * 86_400_000);
    expect(flood(here, "greedy")).toBe(before);
  });
});

describe("what two threads decide at the same moment", () => {
  it("is taken by one of them; the other takes nothing of its other limits either", () => {
    const { here, there } = openLimiters("shared");
    const wide = limit("wide", 10, 60);
    const narrow = limit("narrow", 1, 60);
    const owners = [decide(here, "tenant", [wide]), decide(here, "key", [narrow])];
    expect(there.take([decide(there, "key", [narrow])])).toBeUndefined();
    const late = here.take(owners);
    expect(late).toMatchObject({ rateLimit: narrow, decision: { allowed: false } });
    expect(late?.decision.retryAfterMs).toBeCloseTo(60_000);
    expect(remaining(here, "tenant", wide)).toBe(10);
    expect(remaining(here, "key", narrow)).toBe(0);
  });

  it("says what is left after both", () => {
    const { here, there } = openLimiters("shared");
    const minute = limit("minute", 10, 60);
    const mine = decide(here, "tenant", [minute]);
    there.take([decide(there, "tenant", [minute])]);
    here.take([mine]);
    expect(mine.verdicts[0]?.decision.remaining).toBe(8);
  });
});
