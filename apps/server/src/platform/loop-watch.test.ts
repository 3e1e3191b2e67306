import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { describe, expect, it } from "vitest";
import { createLogger } from "./logger.ts";
import { createHoldMeter, LOOP_HELD, RecentRequests, watchLoop } from "./loop-watch.ts";

describe("the meter of holds", () => {
  it("counts processor time between two ticks, not the time that passes on a busy or sleeping machine", () => {
    let nowMs = 0;
    let cpuMs = 0;
    const meter = createHoldMeter({ monotonicMs: () => nowMs, cpuMs: () => cpuMs });
    const tick = (passedMs: number, workedMs: number) => {
      nowMs += passedMs;
      cpuMs += workedMs;
      return meter();
    };
    expect(tick(50, 50)).toBeUndefined();
    expect(tick(60_000, 40)).toBeUndefined();
    expect(tick(249, 249)).toBeUndefined();
    expect(tick(250, 250)).toBe(200);
    expect(tick(2_000, 1_050)).toBe(1_000);
    expect(tick(50, 10)).toBeUndefined();
  });
});

describe("the watch of the loop", () => {
  it("names the newest requests, without their queries, when the thread was held", async () => {
    const lines: string[] = [];
    const recent = new RecentRequests();
    for (let index = 0; index < 10; index += 1) {
      const req = new IncomingMessage(new Socket());
      req.method = "POST";
      req.url = `/v1/${String(index)}?secret=1`;
      recent.note(req);
    }
    const stop = watchLoop({
      logger: createLogger({ level: "warn", destination: { write: (line) => lines.push(line) } }),
      monotonicMs: () => performance.now(),
      recent,
    });
    const before = process.threadCpuUsage();
    const worked = () => {
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1_000;
    };
    while (worked() < 400) {
      Math.hypot(worked(), 1);
    }
    await pollUntil("the line", () => lines.length > 0);
    stop();
    const line = JSON.parse(lines[0] ?? "{}");
    expect(line).toMatchObject({ level: "warn", msg: LOOP_HELD });
    expect(line.heldMs).toBeGreaterThanOrEqual(200);
    expect(line.requests).toHaveLength(8);
    expect(line.requests[0]).toBe("POST /v1/9");
  });
});
