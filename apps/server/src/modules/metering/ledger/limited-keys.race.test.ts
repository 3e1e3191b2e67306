import type { KeyId } from "@turnpike/domain/ids/ids";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { rollUpUsage } from "../rollups/roll-up-usage.ts";
import { groupOf, keysOf, MINUTE_MS, NOON_MS } from "../testing/usage-groups.fixture.ts";
import { commitGroups } from "./commit-groups.ts";
import { limitKey } from "./limited-keys.ts";
import { reconcile } from "./reconcile.ts";

const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const KEYS = 120;
const COMMITTERS = 3;
const ROUNDS = IS_SOAK ? 1_000 : 40;
const logger = createLogger({ level: "silent" });

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterAll(() => database.close());

describe("keys that become limited while they are used", () => {
  it("miss no earlier commit and count nothing twice while hours are rolled up", async () => {
    const tenantId = newUuidId("tenant");
    const keyIds = keysOf(KEYS);
    const used = new Map<KeyId, number>(keyIds.map((keyId) => [keyId, 0]));
    let committing = COMMITTERS;
    const limited: KeyId[] = [];

    async function commitAgainAndAgain(committer: number): Promise<void> {
      for (let round = 0; round < ROUNDS; round += 1) {
        const some = keyIds.filter((_, index) => (index + round + committer) % 3 > 0);
        const minuteMs = NOON_MS + (round % 4) * MINUTE_MS;
        await commitGroups({ transact, logger }, [groupOf(tenantId, some, { minuteMs })]);
        for (const keyId of some) {
          used.set(keyId, (used.get(keyId) ?? 0) + 1);
        }
      }
      committing -= 1;
    }

    async function rollUpAgainAndAgain(grain: "minutes" | "hours"): Promise<void> {
      while (committing > 0) {
        await rollUpUsage({ transact }, grain);
      }
    }

    async function readBalance(keyId: KeyId): Promise<number> {
      const [row] = await database.sql<{ used: number }[]>`
        select coalesce(sum(used), 0)::int as used from key_balances where key_id = ${keyId}`;
      return row?.used ?? -1;
    }

    /** Limits each key from two processes at once, as for the first quota of a key. */
    async function limitOneAfterTheOther(): Promise<void> {
      for (const keyId of keyIds.filter((_, index) => index % 4 === 0)) {
        const before = used.get(keyId) ?? 0;
        const line = { tenantId, keyId };
        await Promise.all([limitKey(transact, line), limitKey(transact, line)]);
        limited.push(keyId);
        expect(await readBalance(keyId)).toBeGreaterThanOrEqual(before);
      }
    }

    async function readAgainAndAgain(): Promise<void> {
      while (committing > 0) {
        for (const keyId of limited.slice(-5)) {
          const before = used.get(keyId) ?? 0;
          expect(await readBalance(keyId)).toBeGreaterThanOrEqual(before);
        }
        // Both sums are of one snapshot.
        const [sums] = await database.sql<{ keys: number; tenant: number }[]>`
          select (select coalesce(sum(used), 0)::int from usage_of_keys) as keys,
            (select coalesce(sum(used), 0)::int from balances) as tenant`;
        expect(sums?.keys).toBe(sums?.tenant);
      }
    }

    await Promise.all([
      ...Array.from({ length: COMMITTERS }, (_, committer) => commitAgainAndAgain(committer)),
      rollUpAgainAndAgain("minutes"),
      rollUpAgainAndAgain("hours"),
      limitOneAfterTheOther(),
      readAgainAndAgain(),
    ]);
    expect(limited).toHaveLength(KEYS / 4);
    for (const keyId of limited) {
      expect(await readBalance(keyId)).toBe(used.get(keyId));
    }
    await rollUpUsage({ transact }, "minutes");
    await rollUpUsage({ transact }, "hours");
    for (const keyId of keyIds) {
      expect(await readBalance(keyId)).toBe(used.get(keyId));
    }
    expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0, findings: [] });
  });
});
