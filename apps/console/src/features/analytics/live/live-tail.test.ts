import type { LiveCall } from "@turnpike/contract/live-calls";
import { describe, expect, it } from "vitest";
import { RequestError } from "#platform/error-message.ts";
import type { ServerEvent } from "#platform/event-client.ts";
import { createLiveTail, TAIL_ROWS_MAX } from "./live-tail.ts";

const CALL: LiveCall = {
  requestId: "req_0199f3b0c1d27a4e8f60112233445566",
  at: "2026-11-21T12:00:00.000Z",
  keyId: "key_0199f3b0c1d27a4e8f60112233445566" as LiveCall["keyId"],
  environment: "live",
  method: "GET",
  route: "/a",
  status: 200,
  outcome: "VALID",
  latencyMs: 1,
  bytesIn: 0,
  bytesOut: 0,
  model: "",
  tokens: null,
};

/** A stream that a test writes to, and frames that it draws. */
function stage() {
  let push: (event: ServerEvent | "end" | Error) => void = () => undefined;
  let frame: (() => void) | undefined;
  let framesAsked = 0;
  let opened = 0;
  const waits: number[] = [];
  let nowMs = 1_000;
  const tail = createLiveTail({
    async *open(signal) {
      opened += 1;
      const queue: (ServerEvent | "end" | Error)[] = [];
      let wake: () => void = () => undefined;
      signal.addEventListener("abort", () => push("end"));
      push = (event) => {
        queue.push(event);
        wake();
      };
      for (;;) {
        const next = queue.shift();
        if (next === "end") {
          return;
        }
        if (next instanceof Error) {
          throw next;
        }
        if (next !== undefined) {
          yield next;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
    onNextFrame(work) {
      framesAsked += 1;
      frame = work;
    },
    async wait(ms) {
      waits.push(ms);
    },
    now: () => nowMs,
  });
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
  let renders = 0;
  tail.subscribe(() => {
    renders += 1;
  });
  return {
    tail,
    waits,
    opened: () => opened,
    pass(ms: number) {
      nowMs += ms;
    },
    framesAsked: () => framesAsked,
    renders: () => renders,
    async send(...events: (ServerEvent | "end" | Error)[]) {
      for (const event of events) {
        push(event);
      }
      await settle();
    },
    draw() {
      const work = frame;
      frame = undefined;
      work?.();
    },
  };
}

const calls = (count: number, route = "/a"): ServerEvent => ({
  name: "calls",
  data: { calls: Array.from({ length: count }, () => ({ ...CALL, route })), dropped: 0 },
});
const coverage: ServerEvent = { name: "coverage", data: { isWhole: true } };

describe("createLiveTail", () => {
  it("requests one frame however many events arrive, and renders once for it", async () => {
    const { tail, send, draw, framesAsked, renders } = stage();
    tail.start();
    await send(coverage);
    const before = renders();
    await send(...Array.from({ length: 200 }, () => calls(10)));
    expect(framesAsked()).toBe(1);
    expect(renders()).toBe(before);
    draw();
    expect(renders()).toBe(before + 1);
    expect(tail.getState().rows.length).toBe(2_000);
  });

  it("keeps the last 5,000, newest first", async () => {
    const { tail, send, draw } = stage();
    tail.start();
    await send(coverage, calls(TAIL_ROWS_MAX, "/old"), calls(10, "/new"));
    draw();
    const { rows } = tail.getState();
    expect(rows.length).toBe(TAIL_ROWS_MAX);
    expect(rows[0]).toMatchObject({ call: { route: "/new" } });
    expect(new Set(rows.map(({ seq }) => seq)).size).toBe(TAIL_ROWS_MAX);
  });

  it("holds back what arrives while paused, bounded, and resumes without a gap", async () => {
    const { tail, send, draw } = stage();
    tail.start();
    await send(coverage, calls(3));
    draw();
    tail.pause();
    const { rows } = tail.getState();
    await send(calls(TAIL_ROWS_MAX), calls(7, "/last"));
    draw();
    expect(tail.getState()).toMatchObject({ rows, held: TAIL_ROWS_MAX, heldLost: 7 });
    tail.resume();
    draw();
    const after = tail.getState();
    expect(after).toMatchObject({ isPaused: false, held: 0 });
    expect(after.rows[0]).toMatchObject({ call: { route: "/last" } });
  });

  it("stays bounded without frames: a hidden page draws none", async () => {
    const { tail, send, draw } = stage();
    tail.start();
    await send(coverage, ...Array.from({ length: 30 }, () => calls(500)), calls(1, "/newest"));
    draw();
    expect(tail.getState().rows.length).toBe(TAIL_ROWS_MAX);
    expect(tail.getState().rows[0]).toMatchObject({ call: { route: "/newest" } });
  });

  it("reconnects after a lost connection, and says what it missed", async () => {
    const { tail, send, draw, waits, opened, pass } = stage();
    tail.start();
    await send(coverage, calls(1));
    pass(15_000);
    await send({ name: "heartbeat", data: undefined });
    pass(40_000);
    await send(new Error("the network is gone"));
    pass(1_000);
    expect(tail.getState()).toMatchObject({ connection: "lost" });
    expect(waits).toEqual([1_000]);
    expect(opened()).toBe(2);
    await send(coverage);
    draw();
    expect(tail.getState().connection).toBe("live");
    expect(tail.getState().rows.map(({ kind }) => kind)).toEqual(["gap", "call"]);
    // From the last event, not from when the silence was noticed.
    expect(tail.getState().rows[0]).toMatchObject({ fromMs: 16_000, toMs: 57_000 });
  });

  it("does not retry when the answer would be the same", async () => {
    const { tail, send, opened } = stage();
    tail.start();
    await send(new RequestError("There is no such tenant.", { status: 404 }));
    expect(tail.getState()).toMatchObject({
      connection: "refused",
      failure: "There is no such tenant.",
    });
    expect(opened()).toBe(1);
  });

  it("counts dropped calls until it is cleared, and ends when it is stopped", async () => {
    const { tail, send, draw, opened } = stage();
    const end = tail.start();
    await send(coverage, { name: "calls", data: { calls: [CALL], dropped: 40 } });
    draw();
    expect(tail.getState()).toMatchObject({ dropped: 40 });
    tail.clear();
    expect(tail.getState()).toMatchObject({ rows: [], dropped: 0 });
    end();
    await send("end");
    expect(opened()).toBe(1);
  });
});
