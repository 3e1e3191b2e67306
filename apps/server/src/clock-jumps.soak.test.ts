import { join } from "node:path";
import { type MeteredProduct, startMeteredProduct } from "@turnpike/testkit/metered-product";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startRecordingUpstream } from "@turnpike/testkit/recording-upstream";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createWallClock, WALL_CLOCK_OBSTACLE } from "@turnpike/testkit/wall-clock";
import { describe, expect, it, onTestFinished } from "vitest";

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const DEADLINE_MS = 1_200_000;

type Stage = {
  product: MeteredProduct;
  /** Sets the wall clock of the process so far off the real one. */
  jump(seconds: number): Promise<void>;
};

async function open(): Promise<Stage> {
  const folder = await makeTempFolder();
  const clock = await createWallClock(join(folder.path, "offset"));
  const upstream = await startRecordingUpstream();
  const product = await startMeteredProduct({
    config: `upstreams:\n  - { name: api, url: "${upstream.url}" }`,
    env: {
      ...clock.env,
      // A host that observes daylight saving time, which does not matter here.
      TZ: "Europe/Berlin",
    },
  });
  onTestFinished(async () => {
    product.product.kill("SIGKILL");
    await product.close();
    await upstream.close();
    await folder[Symbol.asyncDispose]();
  });
  return { product, jump: clock.jump };
}

async function verdictOf(product: MeteredProduct, key: string): Promise<string> {
  const reply = await product.verify(key);
  return ((await reply.json()) as { code: string }).code;
}

/** From the winter's time to the summer's and back, whenever the test runs, and far beyond the end of a period. */
const JUMPS_S = [-HOUR_S, HOUR_S, 0, -DAY_S, 100 * DAY_S, 200 * DAY_S, 400 * DAY_S, 0, -HOUR_S, 0];

describe("the wall clock of the process jumps", { timeout: DEADLINE_MS }, () => {
  it("rate limits neither open nor lock, quotas are exact, keys expire by it, and all is billed once", async ({
    skip,
  }) => {
    skip(WALL_CLOCK_OBSTACLE !== undefined, WALL_CLOCK_OBSTACLE);
    const { product, jump } = await open();
    const slow = await product.createCustomer("slow");
    const brisk = await product.createCustomer("brisk");
    const capped = await product.createCustomer("capped");
    const expiring = await product.createKey(capped, {
      expiresAt: new Date(Date.now() + (HOUR_S / 2) * 1000).toISOString(),
    });
    const rolled = await product.createKey(capped, {});
    const successor = await product.rollKey(capped, rolled.keyId, HOUR_S);
    const seen: string[] = [];
    const accepted = { slow: 0, brisk: 0, capped: 0 };

    for (const offset of JUMPS_S) {
      await jump(offset);
      // Five in an hour, of the monotonic clock: at most two and a half of them pass between two jumps.
      for (let call = 0; call < 2; call += 1) {
        const code = await verdictOf(product, slow.key);
        seen.push(code);
        accepted.slow += code === "VALID" ? 1 : 0;
      }
      // One in a second: after a second there is room again, at any time of the wall clock.
      await pollUntil(`there is room again at ${String(offset)} s`, async () => {
        const isValid = (await verdictOf(product, brisk.key)) === "VALID";
        accepted.brisk += isValid ? 1 : 0;
        return isValid;
      });
      expect(await verdictOf(product, capped.key)).toBe("VALID");
      expect((await product.call(capped.key, "/")).status).toBe(200);
      accepted.capped += 2;

      const isOver = offset > HOUR_S / 2;
      const isGraceOver = offset >= HOUR_S;
      const codes = [
        await verdictOf(product, expiring.key),
        await verdictOf(product, rolled.key),
        await verdictOf(product, successor.key),
      ];
      expect(codes, `at ${String(offset)} s`).toEqual([
        isOver ? "EXPIRED" : "VALID",
        isGraceOver ? "EXPIRED" : "VALID",
        "VALID",
      ]);
      accepted.capped += codes.filter((code) => code === "VALID").length;
    }

    expect(accepted.slow).toBe(5);
    expect(seen.slice(0, 5)).toEqual(Array(5).fill("VALID"));
    expect(new Set(seen.slice(5))).toEqual(new Set(["RATE_LIMITED"]));

    // What was called in a period is billed in it, and only there.
    const billed = await pollUntil("all of it is billed", async () => {
      const periods = await product.listPeriods(capped);
      const sum = periods.reduce((total, { used }) => total + used, 0);
      return sum >= accepted.capped && periods;
    });
    expect(billed.reduce((total, { used }) => total + used, 0)).toBe(accepted.capped);
    expect(billed.length).toBeGreaterThanOrEqual(4);
    expect(await product.reconcile()).toMatchObject({ drift: 0 });

    // It stops in order with a clock that is off, and there is nothing left behind.
    await jump(-HOUR_S);
    product.product.kill("SIGTERM");
    expect(await product.product.ended).toMatchObject({ code: 0, stderr: "" });
  });
});
