import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { describe, expect, it } from "vitest";
import { createBell } from "./bounded-wait.ts";
import { newUuidId } from "./new-id.ts";
import { type StreamReader, watchReader } from "./watch-reader.ts";

const TIMING = { heartbeatMs: 60_000, lifetimeMs: 3_600_000 };

type Listener = Parameters<Parameters<typeof watchReader>[0]["changes"]["subscribe"]>[0];

function watch(isStillAllowed: StreamReader["isStillAllowed"]) {
  const listeners = new Set<Listener>();
  const clock = createFakeClock();
  const bell = createBell();
  const gone = new AbortController();
  const reader = {
    tenantId: newUuidId("tenant"),
    actorId: newUuidId("user"),
    isStillAllowed,
    signal: gone.signal,
  };
  const changes = {
    subscribe(listener: Listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const watched = watchReader({ changes, clock }, reader, { timing: TIMING, bell });
  return {
    ...watched,
    reader,
    clock,
    gone,
    bell,
    listeners,
    /** As a stream does that has told what there was. */
    waitOn: (isMore = false) => watched.wait({ heard: bell.next(), isMore }),
    tell(change: Parameters<Listener>[0]) {
      for (const listener of listeners) {
        listener(change);
      }
    },
    change(of: { kind: string; tenantId?: string; entityId: string }) {
      this.tell({ tenantId: null, ...of });
    },
    /** The right of the reader may have changed. */
    doubt() {
      this.change({ kind: "user", entityId: reader.actorId });
    },
  };
}

describe("a watch over the reader of a stream", () => {
  it("asks again at once for a change of the reader, of the tenant or of all, and for no other", async () => {
    let asked = 0;
    const stream = watch(() => {
      asked += 1;
      return Promise.resolve(true);
    });
    const { tenantId } = stream.reader;
    for (const doubt of [
      () => stream.doubt(),
      () => stream.change({ kind: "tenant", tenantId, entityId: tenantId }),
      () => stream.tell({ kind: "reset" }),
    ]) {
      const outcome = stream.waitOn();
      doubt();
      expect(await outcome).toBe("asked");
    }
    expect(asked).toBe(3);
    const outcome = stream.waitOn();
    stream.change({ kind: "user", entityId: newUuidId("user") });
    stream.change({ kind: "tenant", tenantId: newUuidId("tenant"), entityId: "other" });
    stream.change({ kind: "document", tenantId, entityId: "settings/a" });
    stream.bell.ring();
    expect(await outcome).toBe("heard");
    expect(asked).toBe(3);
  });

  it("asks once more when the right is taken away while it is looked up", async () => {
    let asked = 0;
    const stream = watch(() => {
      asked += 1;
      if (asked === 1) {
        // The answer is of the moment before.
        stream.doubt();
      }
      return Promise.resolve(asked === 1);
    });
    const first = stream.waitOn();
    stream.doubt();
    expect(await first).toBe("asked");
    expect(await stream.waitOn()).toBe("over");
  });

  it("asks when the right is in doubt before anybody waits, and while there is more to tell", async () => {
    const stream = watch(() => Promise.resolve(false));
    stream.doubt();
    expect(await stream.waitOn()).toBe("over");
    const busy = watch(() => Promise.resolve(false));
    expect(await busy.waitOn(true)).toBe("heard");
    busy.clock.advance(TIMING.heartbeatMs);
    expect(await busy.waitOn(true)).toBe("over");
  });

  it("ends with its reader, and with its time", async () => {
    const stream = watch(() => expect.fail("there is no reader"));
    const outcome = stream.waitOn();
    stream.gone.abort();
    expect(await outcome).toBe("over");
    expect(stream.isOpen()).toBe(false);
    stream.end();
    expect(stream.listeners.size).toBe(0);
    const old = watch(() => Promise.resolve(true));
    expect(old.isOpen()).toBe(true);
    old.clock.advance(TIMING.lifetimeMs);
    expect(old.isOpen()).toBe(false);
  });
});
