import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecordCache, LOAD_BATCH_MAX, type RecordCacheOptions } from "./record-cache.ts";

type Row = { id: string; name: string; version: number };

/** A table by name, with loads that end when the test lets them. */
function createTable(options: Partial<RecordCacheOptions<Row>> = {}) {
  const rows = new Map<string, Row>();
  const pending: (() => void)[] = [];
  const table = {
    rows,
    nowMs: 0,
    loads: 0,
    underWay: 0,
    mostUnderWay: 0,
    mostAtOnce: 0,
    /** When set, loads read at once and answer when {@link settle} is called. */
    isHeld: false,
    put(name: string, version = 1) {
      rows.set(name, { id: `id-${name}`, name, version });
    },
    async settle() {
      while (pending.length > 0) {
        pending.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
  const cache = createRecordCache<Row>({
    idOf: (row) => row.id,
    recordsMax: 100,
    missesMax: 100,
    missTtlMs: 1_000,
    loadsMax: 2,
    loadsWaitingMax: 3,
    waitMsMax: 10_000,
    monotonicMs: () => table.nowMs,
    load: async (names) => {
      table.loads += 1;
      table.underWay += 1;
      table.mostUnderWay = Math.max(table.mostUnderWay, table.underWay);
      table.mostAtOnce = Math.max(table.mostAtOnce, names.length);
      const read = new Map<string, Row>();
      for (const name of names) {
        const row = rows.get(name);
        if (row !== undefined) {
          read.set(name, row);
        }
      }
      if (table.isHeld) {
        await new Promise<void>((resolve) => pending.push(resolve));
      }
      table.underWay -= 1;
      return read;
    },
    ...options,
  });
  return { table, cache };
}

describe("createRecordCache", () => {
  it("lets no caller wait longer than its limit for a turn, and goes on with the next", async () => {
    const { table, cache } = createTable({ loadsMax: 1, waitMsMax: 20 });
    table.put("a");
    table.put("c");
    table.isHeld = true;
    const first = cache.get("a");
    await expect(cache.get("b")).rejects.toMatchObject({ code: "OVERLOADED" });
    table.isHeld = false;
    const third = cache.get("c");
    await table.settle();
    expect(await first).toMatchObject({ name: "a" });
    expect(await third).toMatchObject({ name: "c" });
    expect(table.loads).toBe(2);
  });

  it("loads once and then answers from memory", async () => {
    const { table, cache } = createTable();
    table.put("a");
    expect(cache.peek("a")).toBeUndefined();
    const row = await cache.get("a");
    expect(await cache.get("a")).toBe(row);
    expect(cache.peek("a")).toBe(row);
    expect(table.loads).toBe(1);
  });

  it("loads once for any number of callers at once", async () => {
    const { table, cache } = createTable();
    table.put("a");
    await Promise.all(Array.from({ length: 50 }, () => cache.get("a")));
    expect(table.loads).toBe(1);
  });

  it("remembers for a while that something does not exist, and asks again afterwards", async () => {
    const { table, cache } = createTable();
    expect(await cache.get("a")).toBeNull();
    table.put("a");
    table.nowMs = 999;
    expect(cache.peek("a")).toBeNull();
    table.nowMs = 1_000;
    expect(cache.peek("a")).toBeUndefined();
    expect(await cache.get("a")).toMatchObject({ name: "a" });
  });

  it("forgets all that have an id in common, whether used of late or not", async () => {
    const { table, cache } = createTable({ recordsMax: 4, idOf: ({ name }) => name[0] ?? "" });
    for (const name of ["a1", "a2", "b1", "b2", "a3", "b3"]) {
      table.put(name);
      await cache.get(name);
    }
    // It moves to the young generation.
    await cache.get("a1");
    cache.forget("a");
    expect(["a1", "a2", "a3"].map(cache.peek)).toEqual([undefined, undefined, undefined]);
    expect(["b1", "b2", "b3"].map((name) => cache.peek(name)?.name)).toEqual(["b1", "b2", "b3"]);
    cache.forget("b");
    expect(cache.size).toBe(0);
  });

  it("forgets by id what changed, and every memory of what did not exist", async () => {
    const { table, cache } = createTable();
    table.put("a");
    table.put("b");
    await Promise.all([cache.get("a"), cache.get("b"), cache.get("none")]);
    cache.forget("id-a");
    expect(cache.peek("a")).toBeUndefined();
    expect(cache.peek("b")).toMatchObject({ name: "b" });
    expect(cache.peek("none")).toBeUndefined();
  });

  it("forgets everything on clear", async () => {
    const { table, cache } = createTable();
    table.put("a");
    await Promise.all([cache.get("a"), cache.get("none")]);
    cache.clear();
    expect([cache.peek("a"), cache.peek("none"), cache.size]).toEqual([undefined, undefined, 0]);
  });

  it.each(["forget", "clear"] as const)(
    "reads again what was being read when %s was called, and keeps only the new",
    async (change) => {
      const { table, cache } = createTable();
      table.put("a", 1);
      table.isHeld = true;
      const load = cache.get("a");
      await new Promise((resolve) => setImmediate(resolve));
      table.put("a", 2);
      if (change === "forget") {
        cache.forget("id-a");
      } else {
        cache.clear();
      }
      await table.settle();
      expect(await load).toMatchObject({ version: 2 });
      expect(cache.peek("a")).toMatchObject({ version: 2 });
    },
  );

  it("does not keep a miss that was read before the thing was made", async () => {
    const { table, cache } = createTable();
    table.isHeld = true;
    const load = cache.get("a");
    await new Promise((resolve) => setImmediate(resolve));
    table.put("a");
    cache.forget("id-a");
    await table.settle();
    expect(await load).toMatchObject({ name: "a" });
  });

  it("answers under a storm of changes after a few reads, and keeps nothing of doubtful age", async () => {
    const { table, cache } = createTable({
      load: ([name = ""]) => {
        table.loads += 1;
        cache.forget("id-other");
        return Promise.resolve(new Map([[name, { id: `id-${name}`, name, version: table.loads }]]));
      },
    });
    expect(await cache.get("a")).toMatchObject({ version: 3 });
    expect(cache.peek("a")).toBeUndefined();
  });

  it("keeps loads under way and callers that wait within their bounds", async () => {
    const { table, cache } = createTable();
    table.isHeld = true;
    const waiting = ["a", "b", "c", "d", "e"].map((name) => cache.get(name));
    await expect(cache.get("f")).rejects.toMatchObject({ code: "OVERLOADED" });
    // A name that is already under way takes no further place.
    waiting.push(cache.get("e"));
    await table.settle();
    expect(await Promise.all(waiting)).toEqual([null, null, null, null, null, null]);
    expect(table.mostUnderWay).toBe(2);
    table.isHeld = false;
    expect(await cache.get("f")).toBeNull();
  });

  it("reads what waits together, within bounds, and tells each its own", async () => {
    const { table, cache } = createTable({ loadsMax: 1, loadsWaitingMax: 250 });
    const names = Array.from({ length: 251 }, (_, index) => `n${String(index)}`);
    for (const [index, name] of names.entries()) {
      if (index % 3 !== 0) {
        table.put(name, index);
      }
    }
    table.isHeld = true;
    const loads = Promise.all(names.map((name) => cache.get(name)));
    await table.settle();
    const values = await loads;
    expect(values.map((value) => value?.version ?? null)).toEqual(
      names.map((_, index) => (index % 3 === 0 ? null : index)),
    );
    // The first alone; then those that waited for it, in as few reads as there may be.
    expect(table.loads).toBe(1 + Math.ceil(250 / LOAD_BATCH_MAX));
    expect(table.mostAtOnce).toBe(LOAD_BATCH_MAX);
    expect(cache.peek("n0")).toBeNull();
    expect(cache.peek("n1")).toMatchObject({ version: 1 });
  });

  it("passes a failure to everybody who waits, and tries again the next time", async () => {
    let isDown = true;
    const { cache } = createTable({
      load: ([name = ""]) =>
        isDown
          ? Promise.reject(new Error("down"))
          : Promise.resolve(new Map([[name, { id: name, name, version: 1 }]])),
    });
    const outcomes = await Promise.allSettled([cache.get("a"), cache.get("a"), cache.get("b")]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected", "rejected"]);
    isDown = false;
    expect(await cache.get("a")).toMatchObject({ name: "a" });
  });

  it("keeps what is used while much else passes through", async () => {
    const { table, cache } = createTable({ recordsMax: 10 });
    table.put("used");
    await cache.get("used");
    for (let index = 0; index < 100; index += 1) {
      table.put(`n${String(index)}`);
      await cache.get(`n${String(index)}`);
      expect(cache.peek("used")).toBeDefined();
    }
  });

  it("stays within its bounds and never answers what is not true, in any order of events", async () => {
    const name = fc.integer({ min: 0, max: 40 }).map((index) => `n${String(index)}`);
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.constant("get" as const), name) },
      { weight: 2, arbitrary: fc.tuple(fc.constant("change" as const), name) },
      { weight: 1, arbitrary: fc.tuple(fc.constant("remove" as const), name) },
      { weight: 1, arbitrary: fc.tuple(fc.constant("wait" as const), name) },
      { weight: 1, arbitrary: fc.tuple(fc.constant("clear" as const), name) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
        const { table, cache } = createTable({ recordsMax: 5, missesMax: 5 });
        for (const [what, which] of steps) {
          if (what === "change") {
            table.put(which, (table.rows.get(which)?.version ?? 0) + 1);
            cache.forget(`id-${which}`);
          } else if (what === "remove") {
            table.rows.delete(which);
            cache.forget(`id-${which}`);
          } else if (what === "wait") {
            table.nowMs += 400;
          } else if (what === "clear") {
            cache.clear();
          } else {
            expect(await cache.get(which)).toEqual(table.rows.get(which) ?? null);
          }
          expect(cache.size).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});
