import { expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import { newUuidId } from "#platform/new-id.ts";
import type { ChangeSource } from "./analytics.ports.ts";
import { streamLiveCalls } from "./stream-live-calls.ts";

type Listener = Parameters<ChangeSource["subscribe"]>[0];

it("ends at once when its reader loses the right to it while that is looked up for another reason", async () => {
  const listeners = new Set<Listener>();
  const actorId = newUuidId("user");
  const change = () => {
    for (const listener of listeners) {
      listener({ kind: "user", tenantId: null, entityId: actorId });
    }
  };
  const asked: boolean[] = [];
  const events = streamLiveCalls(
    {
      clock: systemClock,
      // Nobody calls.
      liveCalls: {
        observer: { isWatching: false, see: () => undefined },
        isWhole: () => undefined,
        watch: () => ({ calls: { take: () => undefined }, end: () => undefined }),
      },
      changes: {
        isWokenUp: () => true,
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    },
    {
      tenantId: newUuidId("tenant"),
      filters: {},
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
      timing: { paceMs: 1, heartbeatMs: 60_000, lifetimeMs: 60_000 },
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
