import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { rollUpUsage } from "../rollups/roll-up-usage.ts";
import { callOf, OPERATOR, openRecorderOn } from "../testing/usage-recorder.fixture.ts";
import { reconcile } from "./reconcile.ts";
import type { UsageRecorderDeps, UsageRecorderOptions } from "./usage-recorder.ts";

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) {
    await cleanup();
  }
  await database.close();
});

const openRecorder = (
  more: Partial<UsageRecorderDeps> = {},
  options: Partial<UsageRecorderOptions> = {},
) => openRecorderOn({ transact, cleanups }, more, options);

async function expectNoDrift(): Promise<void> {
  expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0, findings: [] });
}

describe("reconcile", () => {
  it("finds a rollup and a balance that were changed by hand", async () => {
    const tenantId = newUuidId("tenant");
    const { recorder } = await openRecorder();
    recorder.record(callOf(tenantId, newUuidId("key")));
    await recorder.flush();
    await rollUpUsage({ transact }, "minutes");
    await database.sql`update usage_rollups set calls = calls + 1 where tenant_id = ${tenantId}`;
    await database.sql`update balances set used = used + 5 where tenant_id = ${tenantId}`;
    const found = await reconcile({ transact }, OPERATOR);
    expect(found.drift).toBe(3);
    expect(found.findings.map((finding) => finding.what).toSorted()).toEqual([
      "balance",
      "hourly rollup",
      "rollup",
    ]);
    await database.sql`update usage_rollups set calls = calls - 1 where tenant_id = ${tenantId}`;
    await database.sql`update balances set used = used - 5 where tenant_id = ${tenantId}`;
  });

  it("is exact while others write", async () => {
    const tenantId = newUuidId("tenant");
    const { recorder } = await openRecorder();
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) {
        recorder.record(callOf(tenantId, newUuidId("key")));
        await recorder.flush();
      }
    })();
    for (let round = 0; round < 10; round += 1) {
      await expectNoDrift();
    }
    isWriting = false;
    await writing;
  });
});
