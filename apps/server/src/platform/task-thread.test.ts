import { refusalOf } from "@turnpike/testkit/refusal-of";
import { describe, expect, it } from "vitest";
import { createTaskThread } from "./task-thread.ts";

function createDoubling(more: { timeoutMs?: number; waitingMax?: number } = {}) {
  return createTaskThread<number, number>({
    entry: new URL("./task-thread.fixture.ts", import.meta.url),
    waitingMax: 10,
    timeoutMs: 120_000,
    idleMs: 1,
    ...more,
  });
}

describe("a thread of tasks", () => {
  it("does each task, and begins again after it had none for a while", async () => {
    const thread = createDoubling();
    expect(await Promise.all([thread.run(1), thread.run(2)])).toEqual([2, 4]);
    expect(await thread.run(3)).toBe(6);
  });

  it("passes on why a task failed, and goes on", async () => {
    const thread = createDoubling();
    await expect(thread.run(-1)).rejects.toThrow("Below zero.");
    expect(await thread.run(4)).toBe(8);
  });

  it("refuses more tasks than may wait", async () => {
    const thread = createDoubling({ waitingMax: 1 });
    const first = thread.run(1);
    expect((await refusalOf(thread.run(2))).code).toBe("OVERLOADED");
    expect(await first).toBe(2);
  });

  it("ends with a task that takes too long, and begins anew", async () => {
    const thread = createDoubling({ timeoutMs: 1 });
    await expect(thread.run(13)).rejects.toThrow("too long");
    const patient = createDoubling();
    expect(await patient.run(5)).toBe(10);
  });
});
