import { setTimeout as delay } from "node:timers/promises";
import { type ClusterStage, openClusterStage } from "@turnpike/testkit/cluster/cluster-stage";
import { findHostsObstacle } from "@turnpike/testkit/cluster/hosts";
import { startVerifyLoad, type VerifyLoad } from "@turnpike/testkit/cluster/verify-load";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { describe, expect, it } from "vitest";

const SEED = Number(process.env["TURNPIKE_SEED"] ?? 1);
const SEEDS =
  process.env["TURNPIKE_SEED"] === undefined && IS_SOAK
    ? Array.from({ length: 20 }, (_, index) => index + 1)
    : [SEED];
const QUOTA = IS_SOAK ? 20_000 : 1_500;
/** Calls a second of a limit that all nodes share. */
const RATE = 20;
/** Answered by the cluster while something is wrong with it, and after it is well again. */
const CALLS_MEANWHILE = IS_SOAK ? 2_000 : 300;
/** Longer than any lease, connection and heartbeat lives. */
const CUT_OFF_MS = 75_000;
/** Only ends what hangs: eight processes start on a machine that may be busy. */
const DEADLINE_MS = 1_800_000;
/** What is left of the quota after the faults depends on how fast the machine is. */
const QUOTA_DEADLINE_MS = 600_000;
const LOST_PERCENT = 20;
const HOUR_S = 3_600;

const CONFIG = `metering: { durability: strict }
catalog:
  meters: [{ meterId: requests, name: Requests, unit: request, aggregation: count }]
  defaultPlanId: open
  plans:
    - { planId: open, name: Open }
    - { planId: brisk, name: Brisk, rateLimits: [{ name: burst, limit: ${String(RATE)}, windowSeconds: 1 }] }
    - { planId: capped, name: Capped, quotas: [{ meter: requests, limit: ${String(QUOTA)}, kind: hard }] }
`;

type Fault = (stage: ClusterStage, load: VerifyLoad) => Promise<void>;

/** Each does its harm, lets the cluster serve, and makes good again. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "a node is killed": async (stage, load) => {
    const node = stage.pickNode();
    await stage.kill(node);
    await load.more(CALLS_MEANWHILE);
    await stage.restart(node);
  },
  "a node is cut off": async (stage, load) => {
    const node = stage.pickNode();
    await stage.cutOff(node);
    await load.more(CALLS_MEANWHILE);
    await (IS_SOAK ? delay(CUT_OFF_MS) : undefined);
    await stage.heal(node);
  },
  "a node is cut off from the database, not from its callers": async (stage, load) => {
    const node = stage.pickNode();
    await stage.cutOffDatabase(node);
    await load.more(CALLS_MEANWHILE);
    await (IS_SOAK ? delay(CUT_OFF_MS) : undefined);
    await stage.heal(node);
  },
  "a node loses packets": async (stage, load) => {
    const node = stage.pickNode();
    await stage.losePackets(node, LOST_PERCENT);
    await load.more(CALLS_MEANWHILE);
    await stage.heal(node);
  },
  "the clock of a node jumps": async (stage, load) => {
    const node = stage.pickNode();
    for (const seconds of [HOUR_S, -HOUR_S, 0]) {
      await stage.jumpClock(node, seconds);
      await load.more(CALLS_MEANWHILE / 3);
    }
  },
  "the store of rate limits is killed": async (stage, load) => {
    await stage.killValkey();
    await load.more(CALLS_MEANWHILE);
    await stage.restartValkey();
    await load.more(CALLS_MEANWHILE);
  },
  "the database fails over": async (stage, load) => {
    await stage.failOver();
    await stage.awaitAllReady();
    await load.more(CALLS_MEANWHILE);
  },
};

function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const below = createBelow(seed);
  const left = [...items];
  return items.flatMap(() => left.splice(below(left.length), 1));
}

describe("three nodes on hosts of their own", { timeout: DEADLINE_MS }, () => {
  it.for(SEEDS)(
    "let nothing beyond a quota pass and lose nothing that was answered, through every fault (seed %i)",
    async (seed, { skip }) => {
      const obstacle = await findHostsObstacle();
      skip(obstacle !== undefined, obstacle);
      await using stage = await openClusterStage({ seed, configText: CONFIG });
      const open = await stage.createCustomer("open");
      const capped = await stage.createCustomer("capped");
      const brisk = await stage.createCustomer("brisk");
      await stage.awaitAllReady();
      const load = startVerifyLoad({ ...stage, keys: [open.key, capped.key, brisk.key] });
      try {
        await load.more(CALLS_MEANWHILE);
        for (const [name, fault] of shuffle(Object.entries(FAULTS), seed)) {
          await fault(stage, load);
          await stage.awaitAllReady();
          console.info(`seed ${String(seed)}: ${name}, ${String(load.answered())} calls so far`);
        }
        await pollUntil(
          "the quota ends",
          () => load.heard(capped.key).refused > 0,
          QUOTA_DEADLINE_MS,
        );
      } finally {
        await load.stop();
      }
      const allowed = RATE + RATE * load.elapsedSeconds();
      await stage.stopNodes();

      for (const customer of [open, capped, brisk]) {
        const { accepted, unknown } = load.heard(customer.key);
        const committed = await stage.readLedger(customer);
        expect(committed).toBeGreaterThanOrEqual(accepted);
        expect(committed).toBeLessThanOrEqual(accepted + unknown);
      }
      expect(load.heard(open.key).refused).toBe(0);
      expect(load.heard(brisk.key).accepted).toBeLessThanOrEqual(allowed);
      expect(load.heard(brisk.key).refused).toBeGreaterThan(0);
      expect(load.heard(capped.key).accepted).toBeLessThanOrEqual(QUOTA);
      expect(await stage.readLedger(capped)).toBeLessThanOrEqual(QUOTA);
      expect(await stage.reconcile()).toMatchObject({ drift: 0 });
    },
  );
});
