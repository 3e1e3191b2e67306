import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChangeListener } from "#platform/change-feed.ts";
import { systemClock } from "#platform/clock.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact } from "#platform/transact.ts";
import { streamChanges } from "./stream-changes.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe("a stream of changes", () => {
  it("ends at once when its reader loses the right to it while that is looked up for another reason", async () => {
    const listeners = new Set<ChangeListener>();
    const actorId = newUuidId("user");
    const change = () => {
      for (const listener of listeners) {
        listener({ kind: "user", tenantId: null, entityId: actorId, revision: 1n });
      }
    };
    const asked: boolean[] = [];
    const events = streamChanges(
      {
        transact: createTransact(database.sql),
        clock: systemClock,
        changes: {
          subscribe: (listener) => {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        },
      },
      {
        tenantId: newUuidId("tenant"),
        collection: "settings",
        after: 0n,
        actorId,
        isStillAllowed: () => {
          const isFirst = asked.length === 0;
          asked.push(isFirst);
          if (isFirst) {
            // The answer is of the moment before.
            change();
          }
          return Promise.resolve(isFirst);
        },
        signal: AbortSignal.timeout(10_000),
        timing: { heartbeatMs: 60_000, lifetimeMs: 60_000 },
      },
    );
    const told = (async () => {
      const kinds: string[] = [];
      for await (const { kind } of events) {
        kinds.push(kind);
      }
      return kinds;
    })();
    change();
    expect(await told).toEqual(["heartbeat"]);
    expect(asked).toEqual([true, false]);
    expect(listeners.size).toBe(0);
  });
});
