import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  startValkeyServer,
  VALKEY_MISSING,
  type ValkeyServer,
} from "@turnpike/testkit/valkey-server";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryRateStore } from "./memory-rate-store.ts";
import { openPostgresRateStore } from "./postgres-rate-store.ts";
import { type RateGroup, type RateRequest, type RateStore, toDecisions } from "./rate-store.ts";
import { openValkeyRateStore } from "./valkey-rate-store.ts";

const DAY_SECONDS = 86_400;

let database: TestDatabase;
let valkey: ValkeyServer | undefined;
beforeAll(async () => {
  database = await createTestDatabase();
  valkey = VALKEY_MISSING === undefined ? await startValkeyServer() : undefined;
});
afterAll(async () => {
  await valkey?.kill();
  await database.close();
});

const openValkey = () => openValkeyRateStore({ url: valkey?.url ?? "", prefix: "test" });

/** Opens a store that this process has joined, as one that starts for the first time. */
async function join(store: RateStore, isBack = false): Promise<RateStore> {
  for (;;) {
    try {
      await store.join({ member: "one", ttlMs: 60_000, isBack, report: { held: [] } });
      return store;
    } catch (error) {
      // The connection is on its way.
      if (store.kind !== "valkey") {
        throw error;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const toGroup = (requests: readonly RateRequest[], more: Partial<RateGroup> = {}): RateGroup => ({
  member: "one",
  requests,
  returned: new Map(),
  ...more,
});

const STORES: { kind: string; skip: boolean; open(): RateStore }[] = [
  {
    kind: "memory",
    skip: false,
    open: () => createMemoryRateStore({ monotonicMs: () => performance.now() }),
  },
  { kind: "postgres", skip: false, open: () => openPostgresRateStore(database.target) },
  { kind: "valkey", skip: VALKEY_MISSING !== undefined, open: openValkey },
];

const NO_ANSWER = { isTaken: true, levelsMs: [], held: [] };

let named = 0;
function nameOwner(): string {
  named += 1;
  return `owner ${String(named)}`;
}

const limitOf = (limit: number, windowSeconds = DAY_SECONDS) => ({
  name: `${String(limit)} in ${String(windowSeconds)}`,
  limit,
  windowSeconds,
});

const request = fc.record({
  buckets: fc.uniqueArray(fc.record({ owner: fc.nat(3), limit: fc.constantFrom(1, 2, 3, 7, 20) }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ owner, limit }) => `${owner}/${limit}`,
  }),
  cost: fc.constantFrom(0, 1, 1, 1, 2),
  passed: fc.constantFrom(
    undefined,
    ...[0, DAY_SECONDS * 300, DAY_SECONDS * 3_000].map((besideMs) => ({ besideMs })),
  ),
});

const placesGroup = fc.record({
  member: fc.constantFrom("one", "two", "three"),
  returns: fc.uniqueArray(fc.record({ place: fc.nat(2), count: fc.integer({ min: 1, max: 2 }) }), {
    maxLength: 2,
    selector: ({ place }) => place,
  }),
  report: fc.boolean(),
  calls: fc.array(
    fc.record({
      cost: fc.constantFrom(0, 1, 1, 1),
      rate: fc.constantFrom(3, 1_000),
      places: fc.uniqueArray(
        fc.record({
          place: fc.nat(2),
          limit: fc.integer({ min: 1, max: 6 }),
          sharePercent: fc.constantFrom(undefined, undefined, 30, 50, 80, 100),
        }),
        { maxLength: 3, selector: ({ place }) => place },
      ),
    }),
    { maxLength: 6 },
  ),
});

describe.each(STORES)("the store $kind", ({ kind, skip, open }) => {
  it.skipIf(skip)("decides groups as the rule decides one request after the other", async () => {
    const store = await join(open());
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(request, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
          async (groups) => {
            const owner = nameOwner();
            // In windows of a day, the seconds of a test refill nothing that counts.
            const model = createMemoryRateStore({ monotonicMs: () => 0 });
            for (const group of groups) {
              const requests = group.map(
                ({ buckets, cost, passed }): RateRequest => ({
                  buckets: buckets.map((bucket) => ({
                    name: `${owner} ${String(bucket.owner)} ${String(bucket.limit)}`,
                    rateLimit: limitOf(bucket.limit),
                  })),
                  cost: passed !== undefined && cost === 2 ? -1 : cost,
                  ...(passed && { passed }),
                }),
              );
              const expected = await model.decide(toGroup(requests));
              const answers = await store.decide(toGroup(requests));
              expect(answers.map(({ isTaken }) => isTaken)).toEqual(
                expected.map(({ isTaken }) => isTaken),
              );
              const remaining = (all: typeof answers) =>
                all.map((answer, index) =>
                  toDecisions(requests[index] ?? { buckets: [], cost: 0 }, answer).map(
                    (decision) => decision.remaining,
                  ),
                );
              expect(remaining(answers)).toEqual(remaining(expected));
            }
          },
        ),
        { numRuns: 25 },
      );
    } finally {
      await store.close();
    }
  });

  it.skipIf(skip)("owes what passed beyond a bucket, up to its size", async () => {
    const store = await join(open());
    const buckets = [{ name: nameOwner(), rateLimit: limitOf(4) }];
    const decide = async (cost: number, isPassed = false) => {
      const request = { buckets, cost, ...(isPassed && { passed: { besideMs: 0 } }) };
      const [answer] = await store.decide(toGroup([request]));
      const [level = Number.NaN] = answer?.levelsMs ?? [];
      // In windows of a day, the seconds of a test refill nothing that counts.
      return {
        isTaken: answer?.isTaken,
        windows: Math.round((level / DAY_SECONDS / 1000) * 100) / 100,
      };
    };
    try {
      expect(await decide(4)).toEqual({ isTaken: true, windows: 1 });
      expect(await decide(3, true)).toEqual({ isTaken: true, windows: 1.75 });
      expect(await decide(1)).toEqual({ isTaken: false, windows: 1.75 });
      expect(await decide(0)).toEqual({ isTaken: true, windows: 1.75 });
      expect(await decide(9, true)).toEqual({ isTaken: true, windows: 2 });
      expect(await decide(-5, true)).toEqual({ isTaken: true, windows: 0.75 });
      expect(await decide(1)).toEqual({ isTaken: true, windows: 1 });
    } finally {
      await store.close();
    }
  });

  it.skipIf(skip)("owes all that passed beside it in a minute", async () => {
    const store = await join(open());
    const decide = async (name: string, cost: number, besideMs?: number) => {
      const request = {
        buckets: [{ name, rateLimit: limitOf(5, 1) }],
        cost,
        ...(besideMs !== undefined && { passed: { besideMs } }),
      };
      const startMs = performance.now();
      const [answer] = await store.decide(toGroup([request]));
      const [level = Number.NaN] = answer?.levelsMs ?? [];
      return { level, tookMs: performance.now() - startMs };
    };
    const expectLevel = (of: { level: number; tookMs: number }, ms: number, sinceMs: number) => {
      expect(of.level).toBeLessThanOrEqual(ms + 1);
      expect(of.level).toBeGreaterThanOrEqual(ms - (performance.now() - sinceMs) - 1);
    };
    try {
      // Others had emptied the bucket while 10 seconds' worth of calls passed beside it.
      const busy = nameOwner();
      const startedMs = performance.now();
      await decide(busy, 5);
      expectLevel(await decide(busy, 50, 30_000), 11_000, startedMs);
      expectLevel(await decide(busy, 50, 30_000), 21_000, startedMs);
      // No more than that time gives, beside what was owed before.
      expectLevel(await decide(busy, 1_000, 30_000), 51_000, startedMs);
      expectLevel(await decide(busy, 1_000, 3_600_000), 61_000, startedMs);
      // A report with a lower bound forgives nothing.
      expectLevel(await decide(busy, 1, 0), 61_000, startedMs);
      // No one else took calls of this one, which could have given 30 seconds' worth.
      const idle = nameOwner();
      expectLevel(await decide(idle, 50, 30_000), 0, performance.now());
      const idleMs = performance.now();
      expectLevel(await decide(nameOwner(), 200, 30_000), 10_000, idleMs);
    } finally {
      await store.close();
    }
  });

  it.skipIf(skip)(
    "gives places for calls at once as the rule does, to several processes",
    async () => {
      const store = await join(open());
      const model = createMemoryRateStore({ monotonicMs: () => 0 });
      const members = ["one", "two", "three"];
      for (const member of members) {
        await store.join({ member, ttlMs: 60_000, isBack: false, report: { held: [] } });
      }
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(placesGroup, { maxLength: 12 }), async (groups) => {
            const owner = nameOwner();
            const held = new Map(members.map((member) => [member, new Map<string, number>()]));
            const own = (member: string) => held.get(member) ?? new Map<string, number>();
            for (const { member, returns, report, calls } of groups) {
              const mine = own(member);
              const name = (place: number) => `${owner} ${String(place)}`;
              const returned = new Map(returns.map(({ place, count }) => [name(place), count]));
              for (const [place, count] of returned) {
                mine.set(place, Math.max(0, (mine.get(place) ?? 0) - count));
              }
              const requests = calls.map(
                ({ cost, rate, places }): RateRequest => ({
                  cost,
                  buckets: [{ name: `${owner} rate`, rateLimit: limitOf(rate) }],
                  places: places.map(({ place, limit, sharePercent }) => ({
                    ...{ name: name(place), limit, sharePercent },
                  })),
                }),
              );
              const group = toGroup(requests, { member, returned });
              const [answers, expected] = [await store.decide(group), await model.decide(group)];
              const told = (all: typeof answers) =>
                all.map(({ isTaken, fullPlace, held: count }) => ({ isTaken, fullPlace, count }));
              expect(told(answers)).toEqual(told(expected));
              for (const [index, { places = [], cost }] of requests.entries()) {
                if (answers[index]?.isTaken === true) {
                  for (const one of places) {
                    mine.set(one.name, (mine.get(one.name) ?? 0) + cost);
                  }
                }
              }
              if (report) {
                // As after an outage: what it says holds, and all that it held as another is free.
                const all = [...mine].filter(([, count]) => count > 0);
                const said = all.map(([place, count]) => ({ name: place, held: count, limit: 9 }));
                const input = { member, ttlMs: 60_000, isBack: false, report: { held: said } };
                await Promise.all([store.join(input), model.join(input)]);
              }
            }
            // A process that has left holds nothing.
            for (const member of members) {
              await Promise.all([store.leave(member), model.leave(member)]);
              await store.join({ member, ttlMs: 60_000, isBack: false, report: { held: [] } });
            }
            const places = [0, 1, 2].map((place) => ({
              name: `${owner} ${String(place)}`,
              limit: 1,
            }));
            const [empty] = await store.decide(toGroup([{ buckets: [], places, cost: 0 }]));
            expect(empty?.held).toEqual([0, 0, 0]);
          }),
          { numRuns: 25 },
        );
      } finally {
        await store.close();
      }
    },
  );

  it.skipIf(skip || kind === "memory")(
    "frees the places of a process that falls silent, which must then say anew what it holds",
    async () => {
      const store = await join(open());
      const places = [{ name: nameOwner(), limit: 2 }];
      const silent = { member: "silent", isBack: false };
      await store.join({ ...silent, ttlMs: 400, report: { held: [] } });
      const taken = [{ buckets: [], places, cost: 1 }];
      const [held] = await store.decide(toGroup([...taken, ...taken], { member: "silent" }));
      expect(held).toMatchObject({ isTaken: true, held: [1] });
      const [refused] = await store.decide(toGroup(taken));
      expect(refused).toMatchObject({ isTaken: false, fullPlace: 0, held: [2] });
      await pollUntil("its places are free", async () => {
        const { members } = await store.join({ member: "one", ttlMs: 60_000, isBack: false });
        return !members.includes("silent");
      });
      const [free] = await store.decide(toGroup(taken));
      expect(free).toMatchObject({ isTaken: true, held: [1] });
      await expect(store.decide(toGroup(taken, { member: "silent" }))).rejects.toThrow("gone");
      expect(await store.join({ ...silent, ttlMs: 60_000 })).toMatchObject({ isKnown: false });
      const report = { held: [{ name: places[0]?.name ?? "", held: 2, limit: 2 }] };
      await store.join({ ...silent, ttlMs: 60_000, report });
      const [full] = await store.decide(toGroup(taken));
      expect(full).toMatchObject({ isTaken: false, held: [3] });
      await Promise.all(["silent", "one"].map((member) => store.leave(member)));
      await store.close();
    },
  );

  it.skipIf(skip)(
    "lets no more pass than the limit and its refill, from several connections at once",
    async () => {
      const stores = await Promise.all([open(), open(), open()].map((store) => join(store)));
      // The memory of this process is one store; the others are reached by three.
      const opened = stores[0]?.kind === "memory" ? stores.slice(0, 1) : stores;
      const rateLimit = limitOf(100, 10);
      const bucket = { name: nameOwner(), rateLimit };
      const startedAtMs = performance.now();
      let passed = 0;
      await Promise.all(
        opened.map(async (store) => {
          for (let turn = 0; turn < 12; turn += 1) {
            const group = Array.from({ length: 20 }, () => ({ buckets: [bucket], cost: 1 }));
            const answers = await store.decide(toGroup(group));
            passed += answers.filter(({ isTaken }) => isTaken).length;
          }
        }),
      );
      const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
      expect(passed).toBeGreaterThanOrEqual(100);
      expect(passed).toBeLessThanOrEqual(100 + Math.ceil(elapsedSeconds * 10));
      await Promise.all(stores.map((store) => store.close()));
    },
  );

  it.skipIf(skip)(
    "takes nothing of the other limits for a call that one of them refuses",
    async () => {
      const store = await join(open());
      const owner = nameOwner();
      const wide = { name: `${owner} wide`, rateLimit: limitOf(10) };
      const narrow = { name: `${owner} narrow`, rateLimit: limitOf(2) };
      const call = { buckets: [wide, narrow], cost: 1 };
      const answers = await store.decide(toGroup([call, call, call, call]));
      expect(answers.map(({ isTaken }) => isTaken)).toEqual([true, true, false, false]);
      const [decision, refused] = toDecisions(call, answers[3] ?? NO_ANSWER);
      expect(decision).toMatchObject({ allowed: true, remaining: 8 });
      expect(refused).toMatchObject({ allowed: false, remaining: 0 });
      const stepMs = (DAY_SECONDS * 1_000) / 2;
      expect(refused?.retryAfterMs).toBeGreaterThan(stepMs - 600_000);
      expect(refused?.retryAfterMs).toBeLessThanOrEqual(stepMs);
      await store.close();
    },
  );
});

describe("a store that has lost its buckets", () => {
  const flood = (name: string) =>
    Array.from({ length: 5 }, () => ({ buckets: [{ name, rateLimit: limitOf(5) }], cost: 1 }));

  it("starts them empty in PostgreSQL", async () => {
    const store = await join(openPostgresRateStore(database.target));
    const owner = nameOwner();
    expect((await store.decide(toGroup(flood(owner)))).every(({ isTaken }) => isTaken)).toBe(true);
    // As after a crash of the server, which empties unlogged tables.
    await database.sql`truncate rate_levels, rate_members, rate_starts`;
    await join(store, true);
    expect((await store.decide(toGroup(flood(owner)))).some(({ isTaken }) => isTaken)).toBe(false);
    await store.close();
  });

  it.skipIf(VALKEY_MISSING !== undefined)("starts them empty in Valkey", async () => {
    const server = await startValkeyServer();
    const store = await join(openValkeyRateStore({ url: server.url, prefix: "test" }));
    const owner = nameOwner();
    expect((await store.decide(toGroup(flood(owner)))).every(({ isTaken }) => isTaken)).toBe(true);
    await server.kill();
    await server.start();
    await expect(store.decide(toGroup(flood(owner)))).rejects.toThrow();
    await join(store, true);
    expect((await store.decide(toGroup(flood(owner)))).some(({ isTaken }) => isTaken)).toBe(false);
    await store.close();
    await server.kill();
  });
});
