import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { formatKey, KEY_RANDOM_BYTES } from "@turnpike/domain/keys/key-format";
import {
  type Customer,
  type MeteredProduct,
  startMeteredProduct,
} from "@turnpike/testkit/metered-product";
import { pollUntil } from "@turnpike/testkit/poll-until";
import {
  type RecordingUpstream,
  startRecordingUpstream,
} from "@turnpike/testkit/recording-upstream";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const OUTAGE_MS = IS_SOAK ? 60_000 : 8_000;
const DEADLINE_MS = IS_SOAK ? 1_200_000 : 300_000;
/** Callers of each kind, each of which makes one call after the other. */
const CALLERS = 4;
/** An unknown key is looked up for 5 s, behind others for 5 more. */
const UNKNOWN_MS_MAX = 20_000;
const MEMORY_BYTES_MAX = 800_000_000;

let upstream: RecordingUpstream;
let product: MeteredProduct;

beforeAll(async () => {
  upstream = await startRecordingUpstream();
  product = await startMeteredProduct({
    config: `upstreams:\n  - { name: api, url: "${upstream.url}" }`,
    isEmbedded: true,
  });
});
afterAll(async () => {
  expect(await product.close()).toMatchObject({ code: 0, stderr: "" });
  await upstream.close();
});

/** Calls of one kind so far: how often each came out how, and the longest that one took. */
type Tally = { outcomes: Record<string, number>; slowestMs: number };

type Load = { tallies: Record<string, Tally>; stop(): Promise<void> };

/** Makes calls of each kind, and never stops by itself, also when all fail. */
function startLoad(kinds: Record<string, () => Promise<string>>): Load {
  let isOver = false;
  const tallies: Record<string, Tally> = {};
  const callers = Object.entries(kinds).flatMap(([kind, call]) => {
    const tally: Tally = { outcomes: {}, slowestMs: 0 };
    tallies[kind] = tally;
    return Array.from({ length: CALLERS }, async () => {
      while (!isOver) {
        const startedAtMs = performance.now();
        const outcome = await call();
        tally.outcomes[outcome] = (tally.outcomes[outcome] ?? 0) + 1;
        tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedAtMs);
        await delay(5);
      }
    });
  });
  return {
    tallies,
    async stop() {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

async function verify(key: string): Promise<string> {
  const reply = await product.verify(key);
  const { valid, code } = (await reply.json()) as { valid?: boolean; code: string };
  return valid === true ? "VALID" : code;
}

async function callThrough(key: string): Promise<string> {
  const reply = await product.call(key, "/");
  const text = await reply.text();
  return reply.status === 200 ? "VALID" : (JSON.parse(text) as { code: string }).code;
}

const unknownKey = () => formatKey("live", randomBytes(KEY_RANDOM_BYTES)).key;

async function listDatabaseProcesses(pid: number): Promise<number[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const children = await Promise.all(
    names.map(async (name) => {
      const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
      return new RegExp(`^PPid:\\s*${String(pid)}$`, "m").test(status) ? Number(name) : undefined;
    }),
  );
  return [pid, ...children.filter((child) => child !== undefined)];
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // It may have ended by itself in between.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) {
        throw error;
      }
    }
  }
}

/** Stops the database and all its processes where they are, and lets them go on. */
async function freezeDatabase(): Promise<void> {
  const frozen = await listDatabaseProcesses(await product.readDatabasePid());
  signal(frozen, "SIGSTOP");
  await delay(OUTAGE_MS);
  signal(frozen, "SIGCONT");
}

/** Kills the database, and each one that replaces it. */
async function keepKillingDatabase(): Promise<void> {
  const endMs = performance.now() + OUTAGE_MS;
  while (performance.now() < endMs) {
    const pid = await product.readDatabasePid().catch(() => undefined);
    if (pid !== undefined && !Number.isNaN(pid)) {
      signal([pid], "SIGKILL");
    }
    await delay(20);
  }
}

const answered = (tally: Tally | undefined): number =>
  Object.values(tally?.outcomes ?? {}).reduce((sum, count) => sum + count, 0);

describe("the database is away under load", { timeout: DEADLINE_MS }, () => {
  it.each([
    ["frozen", freezeDatabase],
    ["killed again and again", keepKillingDatabase],
  ])(
    "%s: known keys go on, unknown ones are refused in time, and then all is committed, once",
    async (what, takeAway) => {
      const open = await product.createCustomer("open");
      const capped = await product.createCustomer("capped");
      const load = startLoad({
        verified: () => verify(open.key),
        called: () => callThrough(open.key),
        quota: () => verify(capped.key),
        unknown: () => verify(unknownKey()),
        unknownCalls: () => callThrough(unknownKey()),
      });
      const { tallies } = load;
      await pollUntil("it is under load", () => answered(tallies["quota"]) > 100);
      const before = structuredClone(tallies);

      await takeAway();

      const during = structuredClone(tallies);
      const peakBytes = await product.residentBytes();
      await pollUntil(
        "the database is asked again",
        async () => (await verify(unknownKey())) === "INVALID_KEY",
      );
      await pollUntil("and quotas are", async () => (await verify(capped.key)) === "VALID");
      const extra = 1;
      await load.stop();
      console.info(
        `database ${what}: ${JSON.stringify(tallies)}, ${(peakBytes / 1e6).toFixed(0)} MB`,
      );

      // Known keys without a hard limit notice nothing at all.
      for (const kind of ["verified", "called"]) {
        expect(Object.keys(tallies[kind]?.outcomes ?? {})).toEqual(["VALID"]);
        expect(answered(during[kind]) - answered(before[kind])).toBeGreaterThan(100);
      }
      // A hard limit is decided from what is leased, and else not at all.
      expect(Object.keys(tallies["quota"]?.outcomes ?? {})).toContain("VALID");
      const allowed = ["VALID", "LIMITS_UNAVAILABLE", "DATABASE_UNAVAILABLE", "OVERLOADED"];
      expect(allowed).toEqual(
        expect.arrayContaining(Object.keys(tallies["quota"]?.outcomes ?? {})),
      );
      for (const kind of ["unknown", "unknownCalls"]) {
        const outcomes = Object.keys(tallies[kind]?.outcomes ?? {});
        expect(["INVALID_KEY", "DATABASE_UNAVAILABLE", "OVERLOADED"]).toEqual(
          expect.arrayContaining(outcomes),
        );
        expect(outcomes).not.toEqual(["INVALID_KEY"]);
        expect(tallies[kind]?.slowestMs).toBeLessThan(UNKNOWN_MS_MAX);
      }
      expect(peakBytes).toBeLessThan(MEMORY_BYTES_MAX);

      const accepted = (kind: string) => tallies[kind]?.outcomes["VALID"] ?? 0;
      const openBilled = accepted("verified") + accepted("called");
      expect((await product.countOnce(open, { billed: openBilled })).billed).toBe(openBilled);
      await expectCapped(capped, accepted("quota") + extra);
      expect(await product.reconcile()).toMatchObject({ drift: 0 });
    },
  );
});

async function expectCapped(customer: Customer, billed: number): Promise<void> {
  expect((await product.countOnce(customer, { billed })).billed).toBe(billed);
  await pollUntil("the balance is what is left of the quota", async () => {
    const reply = await product.verify(customer.key, 0);
    const { limits } = (await reply.json()) as { limits?: { remaining: number }[] };
    return limits?.[0]?.remaining === 100_000 - billed;
  });
}
