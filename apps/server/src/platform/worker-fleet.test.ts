import { pollUntil } from "@turnpike/testkit/poll-until";
import { describe, expect, it } from "vitest";
import { systemClock } from "./clock.ts";
import { createLogger } from "./logger.ts";
import type { FleetFixtureData, FleetFixtureNews } from "./worker-fleet.fixture.ts";
import { startWorkerFleet } from "./worker-fleet.ts";

function start(
  behaviours: readonly FleetFixtureData["how"][],
  news: () => FleetFixtureNews = () => ({ hangs: undefined }),
  silentSecondsMax = 6,
) {
  const lines: string[] = [];
  const ended: number[] = [];
  const write = (line: string) => {
    lines.push(line);
  };
  const starting = startWorkerFleet<{ worker: number }, FleetFixtureNews>({
    entry: new URL("./worker-fleet.fixture.ts", import.meta.url),
    data: behaviours.map((how, index): FleetFixtureData => {
      const starts = new Int32Array(new SharedArrayBuffer(4));
      return { how, worker: index + 1, starts };
    }),
    clock: systemClock,
    logger: createLogger({ level: "info", destination: { write } }),
    writeLog: write,
    news,
    onEnd: (worker) => ended.push(worker),
    restartDelayMs: 10,
    silentSecondsMax,
  });
  return { starting, ended, logged: () => lines.join("") };
}

describe("a fleet of threads", () => {
  it("is ready when all are, says how each is, and ends", async () => {
    const { starting, ended, logged } = start(["well", "well"]);
    const fleet = await starting;
    expect(fleet.states()).toEqual([
      { worker: 1, isAlive: true, restarts: 0, health: { worker: 1 } },
      { worker: 2, isAlive: true, restarts: 0, health: { worker: 2 } },
    ]);
    expect(logged()).toMatch(/"worker":2[^\n]*started/);
    await fleet.stop(5_000);
    expect(ended.sort()).toEqual([1, 2]);
    expect(fleet.states().map(({ isAlive }) => isAlive)).toEqual([false, false]);
  });

  it("does not start when one cannot, with the reason of that one", async () => {
    const refused = start(["well", "refuses"]);
    await expect(refused.starting).rejects.toMatchObject({
      name: "StartupError",
      code: "PORT_TAKEN",
      message: "No",
      hint: "Fix it",
    });
    expect(refused.ended.sort()).toEqual([1, 2]);
    const thrown = start(["throws", "well"]);
    await expect(thrown.starting).rejects.toThrow("Worker 1 ended before it was ready.");
    expect(thrown.logged()).toContain("at its start");
  });

  it("ends one that hangs, and starts it again", async () => {
    let hangs: number | undefined;
    const { starting, ended, logged } = start(["well", "well"], () => ({ hangs }));
    const fleet = await starting;
    hangs = 2;
    await pollUntil("the thread is ended", () => ended.includes(2));
    hangs = undefined;
    await pollUntil("the thread is back", () => fleet.states()[1]?.isAlive);
    expect(fleet.states().map(({ worker, restarts }) => ({ worker, restarts }))).toMatchObject([
      { worker: 1, restarts: 0 },
      { worker: 2, restarts: expect.any(Number) },
    ]);
    expect(fleet.states()[1]?.restarts).toBeGreaterThan(0);
    expect(logged()).toContain("a worker hangs and is ended");
    await fleet.stop(5_000);
  });

  it("lets one that comes back take its time: it commits what the one before it left", async () => {
    let hangs: number | undefined;
    const { starting, ended, logged } = start(["comes back late"], () => ({ hangs }), 3);
    const fleet = await starting;
    hangs = 1;
    await pollUntil("the thread is gone", () => ended.includes(1));
    hangs = undefined;
    expect(fleet.states()[0]?.isAlive).toBe(false);
    await pollUntil("the thread is back", () => fleet.states()[0]?.isAlive);
    expect(fleet.states()[0]?.restarts).toBe(1);
    expect(logged()).not.toContain("hangs");
    await fleet.stop(5_000);
  });

  it("ends one that does not end by itself", async () => {
    const { starting, ended, logged } = start(["never ends"]);
    const fleet = await starting;
    await fleet.stop(200);
    expect(ended).toEqual([1]);
    expect(logged()).toContain("a worker did not end in time");
  });
});
